package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"hermes/backend/config"
	"hermes/backend/view"
)

// Check reads the file and gives every problem with its line. It is not OK
// when one of them is an error.
func (d *Desk) Check() (view.Check, error) {
	snap := d.current().Snapshot()
	check := view.Check{Config: configView(snap), OK: true, Problems: []view.Problem{}}
	check.Problems = append(check.Problems, check.Config.Problems...)
	for i := range snap.Servers {
		check.Problems = append(check.Problems, problemViews(snap.Servers[i].Problems)...)
		check.Problems = append(check.Problems, policyProblems(snap.Servers[i].Rules.Problems(), snap.Path)...)
	}
	for _, p := range check.Problems {
		check.OK = check.OK && p.Severity != view.SeverityError
	}
	return check, nil
}

// Doctor says what works here, what does not, and what to do. It starts no
// server.
func (d *Desk) Doctor(ctx context.Context) (view.Doctor, error) {
	h := d.current()
	snap := h.Snapshot()
	out := view.Doctor{OK: true, Findings: []view.Finding{}}
	add := func(state, title, message, hint string) {
		out.Findings = append(out.Findings, view.Finding{State: state, Title: title, Message: message, Hint: hint})
		out.OK = out.OK && state != "error"
	}
	d.doctorFile(snap, add)
	d.doctorNative(add)
	d.doctorHooks(add)
	for i := range snap.Servers {
		doctorServer(snap, &snap.Servers[i], add)
	}
	d.doctorConnectors(snap, add)
	if model, err := snap.ResolveModel("", d.options.Getenv); err != nil {
		add("warning", "model", err.Error(), "`hermes chat` needs one; the page shows the servers without it")
	} else {
		add("ok", "model", model.Provider+" "+model.Name, "")
	}
	doctorPrograms(add)
	var err error
	out.Arrival, err = d.ArrivalContext(ctx)
	return out, err
}

type finding func(state, title, message, hint string)

func (d *Desk) doctorFile(snap *config.Snapshot, add finding) {
	switch {
	case !snap.Exists:
		add("warning", "config", snap.Path+" does not exist", "`hermes demo` shows the program without one")
	case snap.Broken:
		for _, p := range snap.Problems {
			add("error", "config", at(p)+p.Message, p.Hint)
		}
	default:
		add("ok", "config", fmt.Sprintf("%s, %d servers", snap.Path, len(snap.Servers)), "")
		for _, p := range snap.Problems {
			add(string(p.Severity), "config", at(p)+p.Message, p.Hint)
		}
	}
	for _, p := range snap.Exposed() {
		add("warning", "permissions", at(p)+p.Message, p.Hint)
	}
}

// at is the place of a problem before its message.
func at(p config.Problem) string {
	if p.Line == 0 {
		return p.File + ": "
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ": "
}

// doctorNative looks at our own folder and at the ledger in it. A missing folder
// is made by the first edit or chat.
func (d *Desk) doctorNative(add finding) {
	home := d.current().Home()
	info, err := os.Lstat(home.Native())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		add("error", "native", home.Native()+" is a link, and Hermes keeps its own files in no folder that a link leads to: no consent counts, lost filters are not noticed, edits and chats fail",
			"move the link away; Hermes makes the folder anew. If the files it leads to are yours, move that folder here instead")
		return
	case err != nil || !info.IsDir():
		add("error", "native", home.Native()+" is not a folder that can be used; edits and chats fail", "move it away; Hermes makes it anew")
		return
	}
	if p, wrong := d.current().PinProblem(true); wrong {
		add("warning", "definitions", p.Message+" ("+p.File+")", p.Hint)
	}
	if _, err := config.ReadLedger(home); err != nil {
		add("error", "ledger", "the lock ledger cannot be read: "+err.Error(), "move "+filepath.Join(home.Native(), "ledger.json")+" away; the next edit begins a new one")
	}
}

func doctorServer(snap *config.Snapshot, server *config.Server, add finding) {
	at := " (" + snap.Path + ":" + strconv.Itoa(server.Line) + ")"
	ok, problem := snap.MayRun(server.Name)
	words := server.Rules.List().Text
	switch {
	case ok:
		add("ok", server.Name, words+at, "")
	case problem.Code != config.CodeDisabled && problem.Code != config.CodeBlocked && problem.Code != config.CodeLocked:
		add("error", server.Name, problem.Message+at, problem.Hint)
	default:
		add("ok", server.Name, words+", not started: "+problem.Message+at, "")
	}
	for _, p := range server.Rules.Problems() {
		if p.Severity == "warning" {
			add("warning", server.Name, p.Message+" ("+snap.Path+":"+strconv.Itoa(p.Line)+")", p.Hint)
		}
	}
	for _, p := range server.Problems {
		if p.Severity == "warning" {
			add("warning", server.Name, p.Message+" ("+snap.Path+":"+strconv.Itoa(p.Line)+")", p.Hint)
		}
	}
}

// doctorPrograms says which helpers that servers commonly need are there.
func doctorPrograms(add finding) {
	for _, name := range []string{"npx", "git"} {
		if path, err := exec.LookPath(name); err == nil {
			add("ok", name, path, "")
		} else {
			add("warning", name, "not on PATH", map[string]string{
				"npx": "many servers are started with npx; install Node.js 20 or newer",
				"git": "the built-in git server needs it",
			}[name])
		}
	}
}
