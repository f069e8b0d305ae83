package catalog

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

//go:embed manifests/*/manifest.yaml
var embedded embed.FS

const manifestFile = "manifest.yaml"

// The kinds of a Diagnostic.
const (
	// KindInvalid: the manifest breaks a rule. KindFuture: it is for a newer
	// program. KindConflict: its name is taken by an entry that comes before it.
	KindInvalid  = "invalid"
	KindFuture   = "future_manifest"
	KindConflict = "conflict"
)

// Entry is one server that can be installed. Folder is empty for the program's
// own, else the folder a person named, in which File is the manifest.
type Entry struct {
	Manifest
	Folder, File string
}

// Origin says where the entry comes from, in words.
func (e Entry) Origin() string {
	if e.Folder == "" {
		return "built in"
	}
	return "folder " + e.Folder
}

// Diagnostic says why a manifest is not offered. Line is 1-based, 0 for the
// whole file.
type Diagnostic struct {
	Kind, Name, Folder, File, Message, Hint string
	Line                                    int
}

// Catalog is every server that can be installed, by name, and what is wrong with
// the manifests that are left out.
type Catalog struct {
	Entries     []Entry
	Diagnostics []Diagnostic
}

// Folders are where manifests are looked for beside the program's own:
// the folder catalog of the home, and those of HERMES_OPTIONAL_MCPS.
func Folders(home string, getenv func(string) string) []string {
	folders := []string{filepath.Join(home, "catalog")}
	for _, folder := range filepath.SplitList(getenv("HERMES_OPTIONAL_MCPS")) {
		if folder = strings.TrimSpace(folder); folder != "" {
			folders = append(folders, folder)
		}
	}
	return folders
}

// Load reads the program's own manifests and those of the folders. A folder that
// is not there holds none. The program's own come first and keep their names: a
// manifest of a folder that has the name of an earlier entry is a conflict and
// cannot be installed until it is renamed.
func Load(folders []string) Catalog {
	c := Catalog{}
	names, _ := fs.Glob(embedded, "manifests/*/"+manifestFile)
	for _, name := range names {
		data, err := embedded.ReadFile(name)
		c.add("", name, data, err)
	}
	for _, folder := range folders {
		c.folder(folder)
	}
	sort.SliceStable(c.Entries, func(i, j int) bool { return c.Entries[i].Name < c.Entries[j].Name })
	return c
}

// Find gives the entry of a name. `official/NAME` is one of the program's own.
func (c Catalog) Find(name string) (Entry, bool) {
	bare, official := strings.CutPrefix(name, "official/")
	for _, e := range c.Entries {
		if e.Name == bare && (!official || e.Folder == "") {
			return e, true
		}
	}
	return Entry{}, false
}

// taken finds the entry with a name that a person takes for the same: letters of
// either case.
func (c Catalog) taken(name string) (Entry, bool) {
	for _, e := range c.Entries {
		if strings.EqualFold(e.Name, name) {
			return e, true
		}
	}
	return Entry{}, false
}

func (c *Catalog) folder(folder string) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.Diagnostics = append(c.Diagnostics, Diagnostic{Kind: KindInvalid, Folder: folder, File: folder, Message: "the folder cannot be read: " + cause(err)})
		return
	}
	defer root.Close()
	items, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		c.Diagnostics = append(c.Diagnostics, Diagnostic{Kind: KindInvalid, Folder: folder, File: folder, Message: "the folder cannot be read: " + cause(err)})
		return
	}
	for _, item := range items {
		if strings.HasPrefix(item.Name(), ".") || item.Type().IsRegular() {
			continue
		}
		data, err := readIn(root, item.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.add(folder, filepath.Join(folder, item.Name(), manifestFile), data, err)
	}
}

// readIn reads the manifest of one folder below root. Neither the folder nor the
// manifest may lead out of where it stands.
func readIn(root *os.Root, name string) ([]byte, error) {
	dir, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Stat(manifestFile)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	file, err := dir.Open(manifestFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxManifest+1))
}

func (c *Catalog) add(folder, file string, data []byte, err error) {
	d := Diagnostic{Kind: KindInvalid, Name: path.Base(path.Dir(filepath.ToSlash(file))), Folder: folder, File: file}
	if err != nil {
		d.Message = "the manifest cannot be read: " + cause(err)
		c.Diagnostics = append(c.Diagnostics, d)
		return
	}
	m, err := Read(data)
	if m.Name != "" {
		d.Name = m.Name
	}
	var at *fault
	switch {
	case errors.Is(err, errFuture):
		d.Kind, d.Message, d.Hint = KindFuture, "it is for a newer Hermes", "update Hermes to install it"
	case errors.As(err, &at):
		d.Message, d.Line = at.message, at.line
	case err != nil:
		d.Message = err.Error()
	default:
		taken, found := c.taken(m.Name)
		if !found {
			c.Entries = append(c.Entries, Entry{Manifest: m, Folder: folder, File: file})
			return
		}
		d.Kind, d.Message = KindConflict, fmt.Sprintf("the name %s belongs to the entry that is %s", taken.Name, taken.Origin())
		d.Hint = "give it another name in its manifest to install it"
	}
	c.Diagnostics = append(c.Diagnostics, d)
}

// cause takes the operation and the path off an error of the file system; both
// are told beside it.
func cause(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}
