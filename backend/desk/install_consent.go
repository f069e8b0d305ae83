package desk

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hermes/backend/view"
)

// handsOver names the variables that have a value already and that the program
// would get, without those that the same program gets now.
func (i *install) handsOver() []string {
	out := []string{}
	has := func(string) bool { return false }
	if server, ok := i.snap.Server(i.entry.Name); ok && i.plan.Replaces == "" {
		has = func(name string) bool { return server.Conn.Env[name] == "${"+name+"}" }
	}
	for _, v := range i.entry.Auth.Env {
		_, set := i.snap.Variable(v.Name)
		if _, given := i.request.Values[v.Name]; set && !given && !has(v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}

// handedOver says so in a sentence, empty for none.
func (i *install) handedOver() string {
	names := i.handsOver()
	if len(names) == 0 {
		return ""
	}
	return ". It would be given what is set already: " + strings.Join(names, ", ")
}

// mayHandOver keeps what a person gave to another program from a manifest of a
// folder until they name it: agreeing to the commands does not say so.
func (i *install) mayHandOver() error {
	if i.entry.Folder == "" {
		return nil
	}
	var names, how []string
	for _, name := range i.handsOver() {
		if !slices.Contains(i.request.Existing, name) {
			names, how = append(names, name), append(how, "--env "+name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return Fail(view.Error{Code: "refused",
		Message: "'" + i.entry.Name + "' was not installed: " + strings.Join(names, ", ") + ", which is set already, would be handed to this program of the " + i.entry.Origin(),
		Hint:    "repeat with " + strings.Join(how, " ") + " to hand it over, or give another value with NAME=VALUE"}, nil)
}

// unhashed refuses a package of a folder's manifest that nothing can be compared
// with, until a person accepts that.
func (i *install) unhashed() error {
	if i.entry.Folder == "" || i.request.SkipIntegrity {
		return nil
	}
	for _, p := range i.entry.Packages() {
		if !i.entry.Pinned(p) {
			return Fail(view.Error{Code: "refused", Message: "'" + i.entry.Name + "' was not installed: its manifest has no hash and exact version for " + p.String() + ", so it cannot be checked",
				Hint: "accept it unchecked with --skip-integrity"}, nil)
		}
	}
	return nil
}

// printableText writes what a terminal would act on as an escape.
func printableText(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}
