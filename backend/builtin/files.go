package builtin

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// readLimit bounds one file that is read, in bytes.
	readLimit = 4 << 20
	// matchLimit bounds the hits of one search, lineLimit each of them in
	// characters.
	matchLimit = 200
	lineLimit  = 300
	// entryLimit bounds the listing of one folder.
	entryLimit = 2000
)

// folder reaches one folder and nothing else: os.Root refuses every path and
// symbolic link that leads out, at the moment of opening.
type folder struct{ root string }

type listInput struct {
	Path string `json:"path,omitempty" jsonschema:"folder below the folder; empty is the folder itself"`
}

type pathInput struct {
	Path string `json:"path" jsonschema:"path below the folder"`
}

type searchInput struct {
	Query string `json:"query" jsonschema:"text to look for, without regard to case"`
	Path  string `json:"path,omitempty" jsonschema:"folder to search in; empty is all"`
}

type writeInput struct {
	Path    string `json:"path" jsonschema:"path below the folder"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func addFiles(server *mcp.Server, root string) {
	f := folder{root: root}
	mcp.AddTool(server, &mcp.Tool{Name: "list_directory", Description: "Lists the files and folders of a folder.", Annotations: reading("List a folder")},
		func(_ context.Context, _ *mcp.CallToolRequest, in listInput) (*mcp.CallToolResult, any, error) {
			return answer(f.list(in.Path))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "read_file", Description: "Reads a text file.", Annotations: reading("Read a file")},
		func(_ context.Context, _ *mcp.CallToolRequest, in pathInput) (*mcp.CallToolResult, any, error) {
			return answer(f.read(in.Path))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "search_files", Description: "Finds lines that hold a text, as path:line: text.", Annotations: reading("Search files")},
		func(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, any, error) {
			return answer(f.search(ctx, in.Path, in.Query))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "write_file", Description: "Writes a text file; an existing one is replaced.", Annotations: writing("Write a file", true)},
		func(_ context.Context, _ *mcp.CallToolRequest, in writeInput) (*mcp.CallToolResult, any, error) {
			return answer(f.write(in.Path, in.Content))
		})
}

// answer makes a result of what a tool says; an error becomes the tool's own.
func answer(s string, err error) (*mcp.CallToolResult, any, error) {
	if err != nil {
		return nil, nil, err
	}
	return text(s), nil, nil
}

// clean reads a path as models write it: below the folder, or absolute and
// leading into it. os.Root refuses every other.
func (f folder) clean(name string) string {
	if filepath.IsAbs(name) {
		if below, err := filepath.Rel(f.root, name); err == nil && filepath.IsLocal(below) {
			name = below
		}
	}
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "" {
		return "."
	}
	return path.Clean(name)
}

func (f folder) list(name string) (string, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), f.clean(name))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i, entry := range entries {
		if i == entryLimit {
			fmt.Fprintf(&out, "(%d more)\n", len(entries)-i)
			break
		}
		out.WriteString(entry.Name())
		if entry.IsDir() {
			out.WriteByte('/')
		}
		out.WriteByte('\n')
	}
	if out.Len() == 0 {
		return "(empty)", nil
	}
	return out.String(), nil
}

func (f folder) read(name string) (string, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	data, err := readText(root, f.clean(name))
	return string(data), err
}

// readText reads a bounded regular text file. A pipe or device is refused
// before it is opened, since opening one can block for ever.
func readText(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	if info.Size() > readLimit {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", name, info.Size(), readLimit)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, readLimit))
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("%s is not a text file", name)
	}
	return data, nil
}

func (f folder) search(ctx context.Context, below, query string) (string, error) {
	if strings.TrimSpace(query) == "" {
		return "", errors.New("the query is empty")
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	query = strings.ToLower(query)
	var out strings.Builder
	hits := 0
	start := f.clean(below)
	err = fs.WalkDir(root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == start:
			return err
		case err != nil:
			return nil // a folder that cannot be read hides only itself
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := readText(root, name)
		if err != nil {
			return nil // what cannot be read as text holds no line
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, readLimit)
		for n := 1; lines.Scan(); n++ {
			if !strings.Contains(strings.ToLower(lines.Text()), query) {
				continue
			}
			if hits++; hits > matchLimit {
				out.WriteString("(more lines match; give a narrower query)\n")
				return fs.SkipAll
			}
			fmt.Fprintf(&out, "%s:%d: %s\n", name, n, shorten(lines.Text()))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if hits == 0 {
		return "no line matches", nil
	}
	return out.String(), nil
}

func shorten(line string) string {
	if utf8.RuneCountInString(line) <= lineLimit {
		return line
	}
	return string([]rune(line)[:lineLimit]) + "..."
}

func (f folder) write(name, content string) (string, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	name = f.clean(name)
	if err := replace(root, name, content); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(content), name), nil
}

// replace writes a file whole or not at all: a new one beside it takes its
// place and its mode. What git would run or trust in its own folder is out of
// reach.
func replace(root *os.Root, name, content string) error {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%s belongs to git and is not written", name)
		}
	}
	mode := fs.FileMode(0o600)
	info, err := root.Lstat(name)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link; write to the file it leads to", name)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", name)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	fresh := name + ".hermes-" + rand.Text()
	if err := create(root, fresh, content, mode); err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	if err := root.Rename(fresh, name); err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	return nil
}

// create writes a new file and makes it durable.
func create(root *os.Root, name, content string, mode fs.FileMode) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
