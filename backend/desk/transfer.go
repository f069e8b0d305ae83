package desk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/transfer"
	"hermes/backend/view"
)

// maxImport bounds the file of another host.
const maxImport = 32 << 20

// ImportSources looks which files of other hosts are there. It reads none.
func (d *Desk) ImportSources() (view.ImportSources, error) {
	out := view.ImportSources{Found: []view.ImportSource{}, Hosts: transfer.Names()}
	for _, place := range transfer.Places(d.machine()) {
		// In the home folder a person's own file is that of the project, too.
		twice := slices.ContainsFunc(out.Found, func(s view.ImportSource) bool { return s.Host == place.Host && s.File == place.File })
		if isFile(place.File) && !twice {
			out.Found = append(out.Found, sourceView(place))
		}
	}
	return out, nil
}

func sourceView(place transfer.Place) view.ImportSource {
	host, _ := transfer.Find(place.Host)
	return view.ImportSource{Host: place.Host, Title: host.Title, File: place.File, Beside: list(slices.DeleteFunc(slices.Clone(place.Beside), func(file string) bool { return !isFile(file) }))}
}

func (d *Desk) machine() transfer.Machine {
	m := transfer.Machine{OS: runtime.GOOS, Getenv: d.options.Getenv}
	if m.Home = m.Getenv("HOME"); m.Home == "" || runtime.GOOS == "windows" {
		m.Home, _ = os.UserHomeDir()
	}
	m.Dir, _ = os.Getwd()
	return m
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// reading is a request with what was read for it.
type reading struct {
	host  transfer.Host
	file  string
	found transfer.Reading
}

// readImport reads exactly the file that was asked for, and beside it the files
// that may keep its tools out.
func (d *Desk) readImport(q view.ImportRequest) (reading, error) {
	var r reading
	var src transfer.Source
	if q.From != "" {
		host, ok := transfer.Find(q.From)
		if !ok {
			return r, usage("the host '"+q.From+"' is not known", "choose one of "+strings.Join(transfer.Names(), ", "))
		}
		r.host = host
	}
	switch {
	case q.Text != "":
		src.Data = []byte(q.Text)
	case q.File != "":
		r.file = q.File
	case q.From != "":
		place, err := d.placeOf(r.host)
		if err != nil {
			return r, err
		}
		r.file = place.File
	default:
		return r, usage("nothing to import from is named", "name a host, a file or - for standard input")
	}
	if r.file != "" {
		data, err := readForeign(r.file)
		if err != nil {
			return r, err
		}
		src.Data, src.File = data, r.file
	}
	if r.host.Name == "" {
		host, err := transfer.Detect(src)
		if err != nil {
			return r, foreignFault(r.file, err)
		}
		r.host = host
	}
	for _, file := range d.besides(r.host, r.file) {
		data, err := readForeign(file)
		if err != nil {
			// Rules that cannot be read would be lost: the reader locks.
			data = []byte("[")
		}
		src.Beside = append(src.Beside, data)
	}
	found, err := r.host.Read(src)
	if err != nil {
		return r, foreignFault(r.file, err)
	}
	r.found = found
	return r, nil
}

// placeOf finds the file of a host: a person's own, else the one of the working
// folder.
func (d *Desk) placeOf(host transfer.Host) (transfer.Place, error) {
	var looked []string
	for _, place := range transfer.Places(d.machine()) {
		if place.Host != host.Name {
			continue
		}
		if isFile(place.File) {
			return place, nil
		}
		looked = append(looked, place.File)
	}
	if len(looked) == 0 {
		return transfer.Place{}, usage(host.Title+" has no file of its own", "name a file, or - for standard input")
	}
	return transfer.Place{}, Fail(view.Error{Code: "failed", Message: "no file of " + host.Title + " is found",
		Hint: "looked at " + strings.Join(looked, ", ") + "; name the file if it is elsewhere"}, nil)
}

// besides gives the files with rules for a host's file that are there.
func (d *Desk) besides(host transfer.Host, file string) []string {
	if file == "" {
		return nil
	}
	path, err := filepath.Abs(file)
	if err != nil {
		path = file
	}
	var files []string
	for _, place := range transfer.Places(d.machine()) {
		// A person's rules for Claude Code hold in every project.
		if place.Host == host.Name && (place.File == path || host.Name == "claude-code" && !place.Project) {
			files = append(files, place.Beside...)
		}
	}
	for _, name := range host.Beside(path) {
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return slices.DeleteFunc(files, func(name string) bool { return !isFile(name) || name == path })
}

func readForeign(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var data []byte
	if err == nil {
		var file *os.File
		if file, err = os.Open(path); err == nil {
			data, err = io.ReadAll(io.LimitReader(file, maxImport+1))
			err = errors.Join(err, file.Close())
		}
	}
	if err != nil {
		var failure *os.PathError
		if errors.As(err, &failure) {
			err = failure.Err
		}
		return nil, Fail(view.Error{Code: "failed", Message: "the file cannot be read: " + err.Error(), Hint: "check its name and its mode", File: path}, err)
	}
	return data, nil
}

func foreignFault(file string, err error) error {
	shown := view.Error{Code: "failed", Message: "nothing can be imported: " + err.Error(), File: file,
		Hint: "mend it, or name the format with --from " + strings.Join(transfer.Names(), "|")}
	var fault *transfer.Fault
	if errors.As(err, &fault) {
		shown.Line = fault.Line
	}
	return Fail(shown, err)
}

// Export writes servers in another host's format. It writes no file.
func (d *Desk) Export(q view.ExportRequest) (view.Export, error) {
	if by := descendantOf(d.options.Getenv); by != "" {
		return view.Export{}, Fail(view.Error{Code: "refused",
			Message: "a program that " + starterName(by) + " started may not export the configuration",
			Hint:    "type the command yourself, in a terminal of your own"}, nil)
	}
	host, ok := transfer.Find(q.To)
	if !ok {
		return view.Export{}, usage("the host '"+q.To+"' is not known", "choose one of "+strings.Join(transfer.Names(), ", "))
	}
	h := d.current()
	snap := h.Snapshot()
	if err := readable(snap); err != nil {
		return view.Export{}, err
	}
	var wanted []transfer.Wanted
	names := q.Servers
	if len(names) == 0 {
		names = snap.Names()
	}
	for _, name := range names {
		server, err := find(snap, name)
		if err != nil {
			return view.Export{}, err
		}
		w := transfer.Wanted{Server: server}
		if status := h.Status(name); seen(status) {
			w.Known = append([]string{}, toolNames(status.Tools)...)
		}
		wanted = append(wanted, w)
	}
	written := host.Write(wanted, transfer.Options{DisableLocked: q.DisableLocked})
	return view.Export{Host: host.Name, Title: host.Title, Text: string(written.Data), Servers: list(written.Servers),
		Refused: remarks(written.Refused), Notes: remarks(written.Notes)}, nil
}

func remarks(in []transfer.Remark) []view.ExportRemark {
	out := make([]view.ExportRemark, 0, len(in))
	for _, r := range in {
		out = append(out, view.ExportRemark{Server: r.Server, Text: r.Text})
	}
	return out
}

func (r reading) problems() []view.Problem {
	out := []view.Problem{}
	for _, p := range r.found.Problems {
		out = append(out, view.Problem{Severity: view.SeverityWarning, Code: "import.file", Params: []string{}, Message: p.Message, File: r.file, Line: p.Line})
	}
	return out
}

// existing says where an entry of that name stands already.
func existing(snap *config.Snapshot, s *config.Server) string {
	return fmt.Sprintf("a server of that name is there already (%s:%d)", filepath.Base(snap.Path), s.Line)
}

// TransferHosts names the programs that servers can come from and go to.
func TransferHosts() []string { return transfer.Names() }
