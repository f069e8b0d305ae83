package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// readLimit bounds one file that is read, in bytes.
	readLimit = 4 << 20
	// matchLimit bounds the hits of one search.
	matchLimit = 200
)

// folder reaches one folder and nothing else: os.Root refuses every path and
// symbolic link that leads out, at the moment of opening.
type folder struct{ root string }

type pathInput struct {
	Path string `json:"path" jsonschema:"path below the folder; . is the folder itself"`
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
		func(_ context.Context, _ *mcp.CallToolRequest, in pathInput) (*mcp.CallToolResult, any, error) {
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

func clean(name string) string {
	if name == "" {
		return "."
	}
	return path.Clean(strings.ReplaceAll(name, `\`, "/"))
}

func (f folder) list(name string) (string, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), clean(name))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, entry := range entries {
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
	data, err := readText(root, clean(name))
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
	err = fs.WalkDir(root.FS(), clean(below), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if entry.IsDir() && entry.Name() == ".git" {
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
			fmt.Fprintf(&out, "%s:%d: %s\n", name, n, lines.Text())
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

func (f folder) write(name, content string) (string, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	name = clean(name)
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", name)
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	if err := root.WriteFile(name, []byte(content), 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(content), name), nil
}
