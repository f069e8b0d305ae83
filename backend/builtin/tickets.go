package builtin

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ticketsName is the file of the tickets below the folder: one JSON object a
// line, only ever appended to. A ticket's number is that of its line, so it
// never changes and nobody hands out numbers.
const ticketsName = "tickets.jsonl"

const (
	titleLimit = 200       // characters
	bodyLimit  = 64 << 10  // bytes
	fileLimit  = 256 << 20 // bytes
)

// ticketFile is one tracker. Several programs may append at once, because an
// entry is one write to the end of the file; it is on the disk before its
// number is told.
type ticketFile struct {
	root string
	mu   sync.Mutex
}

type ticket struct {
	Title   string `json:"title"`
	Body    string `json:"body"`
	Created string `json:"created"`
	// Mark finds the line again after it was appended beside others.
	Mark string `json:"mark"`
	id   int
}

type createInput struct {
	Title string `json:"title" jsonschema:"one line that says what is wrong or wanted"`
	Body  string `json:"body,omitempty" jsonschema:"the details"`
}

type getInput struct {
	ID int `json:"id" jsonschema:"number of the ticket"`
}

func addTickets(server *mcp.Server, t *ticketFile) {
	mcp.AddTool(server, &mcp.Tool{Name: "create_ticket", Description: "Files a new ticket and gives its number.", Annotations: writing("File a ticket", false)},
		func(_ context.Context, _ *mcp.CallToolRequest, in createInput) (*mcp.CallToolResult, any, error) {
			return answer(t.create(in))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "list_tickets", Description: "Lists all tickets: number and title.", Annotations: reading("List tickets")},
		func(context.Context, *mcp.CallToolRequest, noInput) (*mcp.CallToolResult, any, error) {
			return answer(t.list())
		})
	mcp.AddTool(server, &mcp.Tool{Name: "get_ticket", Description: "Gives one ticket by its number.", Annotations: reading("Read a ticket")},
		func(_ context.Context, _ *mcp.CallToolRequest, in getInput) (*mcp.CallToolResult, any, error) {
			return answer(t.get(in.ID))
		})
}

func (t *ticketFile) create(in createInput) (string, error) {
	title := strings.Join(strings.Fields(in.Title), " ")
	switch {
	case title == "":
		return "", errors.New("a ticket needs a title")
	case utf8.RuneCountInString(title) > titleLimit:
		return "", fmt.Errorf("the title is longer than %d characters", titleLimit)
	case len(in.Body) > bodyLimit:
		return "", fmt.Errorf("the body is longer than %d bytes", bodyLimit)
	}
	entry := ticket{Title: title, Body: in.Body, Created: time.Now().UTC().Format(time.RFC3339), Mark: rand.Text()}
	line, err := json.Marshal(entry)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := appendLine(root, line); err != nil {
		return "", err
	}
	all, err := readTickets(root)
	if err != nil {
		return "", err
	}
	for _, other := range all {
		if other.Mark == entry.Mark {
			return fmt.Sprintf("ticket #%d filed: %s", other.id, entry.Title), nil
		}
	}
	return "", errors.New("the ticket was written and cannot be found again")
}

// appendLine adds a line in one write and makes it durable.
func appendLine(root *os.Root, line []byte) error {
	if info, err := root.Lstat(ticketsName); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", ticketsName)
	}
	file, err := root.OpenFile(ticketsName, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if torn(file) {
		// A crash left half a line, which must not swallow this one.
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.Write(line)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	// Makes a new file's name durable; where folders cannot be synced, the
	// system does it by itself.
	_ = folder.Sync()
	return folder.Close()
}

// torn tells whether the file ends in the middle of a line.
func torn(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

func (t *ticketFile) list() (string, error) {
	all, err := t.read()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "no tickets", nil
	}
	var out strings.Builder
	for _, entry := range all {
		fmt.Fprintf(&out, "#%d %s\n", entry.id, entry.Title)
	}
	return out.String(), nil
}

func (t *ticketFile) get(id int) (string, error) {
	all, err := t.read()
	if err != nil {
		return "", err
	}
	for _, entry := range all {
		if entry.id == id {
			return fmt.Sprintf("#%d %s\ncreated %s\n\n%s", entry.id, entry.Title, entry.Created, entry.Body), nil
		}
	}
	return "", fmt.Errorf("there is no ticket #%d; list_tickets shows all", id)
}

func (t *ticketFile) read() ([]ticket, error) {
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readTickets(root)
}

// readTickets gives all tickets. A line that is none, as a crash leaves it,
// keeps its number and is passed over.
func readTickets(root *os.Root) ([]ticket, error) {
	info, err := root.Lstat(ticketsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > fileLimit {
		return nil, fmt.Errorf("%s is not a file of tickets", ticketsName)
	}
	data, err := root.ReadFile(ticketsName)
	if err != nil {
		return nil, err
	}
	var all []ticket
	number := 0
	for line := range bytes.Lines(data) {
		number++
		entry := ticket{id: number}
		if json.Unmarshal(line, &entry) == nil && entry.Title != "" {
			all = append(all, entry)
		}
	}
	return all, nil
}
