package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ticketsName is the file of the tickets below the folder: one JSON object a
// line, only ever appended to.
const ticketsName = "tickets.jsonl"

// ticketFile is one tracker. Calls of one process are serialised; an entry is
// on the disk before its number is given out.
type ticketFile struct {
	root string
	mu   sync.Mutex
}

type ticket struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	Body    string `json:"body"`
	Created string `json:"created"`
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
	if strings.TrimSpace(in.Title) == "" {
		return "", errors.New("a ticket needs a title")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.read()
	if err != nil {
		return "", err
	}
	entry := ticket{ID: 1, Title: in.Title, Body: in.Body, Created: time.Now().UTC().Format(time.RFC3339)}
	if len(all) > 0 {
		entry.ID = all[len(all)-1].ID + 1
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(filepath.Join(t.root, ticketsName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.Write(append(line, '\n'))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return fmt.Sprintf("ticket #%d filed: %s", entry.ID, entry.Title), nil
}

func (t *ticketFile) list() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.read()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "no tickets", nil
	}
	var out strings.Builder
	for _, entry := range all {
		fmt.Fprintf(&out, "#%d %s\n", entry.ID, entry.Title)
	}
	return out.String(), nil
}

func (t *ticketFile) get(id int) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.read()
	if err != nil {
		return "", err
	}
	for _, entry := range all {
		if entry.ID == id {
			return fmt.Sprintf("#%d %s\ncreated %s\n\n%s", entry.ID, entry.Title, entry.Created, entry.Body), nil
		}
	}
	return "", fmt.Errorf("there is no ticket #%d", id)
}

// read gives all tickets. A last line that a crash cut off is passed over; a
// broken line before others is an error, so that nothing is lost in silence.
func (t *ticketFile) read() ([]ticket, error) {
	data, err := os.ReadFile(filepath.Join(t.root, ticketsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := []ticket{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	lines.Buffer(nil, readLimit)
	broken := 0
	for n := 1; lines.Scan(); n++ {
		if broken != 0 {
			return nil, fmt.Errorf("%s:%d is not a ticket", ticketsName, broken)
		}
		var entry ticket
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			broken = n
			continue
		}
		all = append(all, entry)
	}
	return all, lines.Err()
}
