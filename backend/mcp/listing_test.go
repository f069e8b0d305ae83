//go:build unix

package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newPager is a server of the older protocol that offers its tools page by page.
func newPager(page func(cursor string) (tools []string, next string)) *older {
	return &older{answer: plainAnswer, lost: plainLost, list: func(w http.ResponseWriter, id, params json.RawMessage) {
		var given struct {
			Cursor string `json:"cursor"`
		}
		_ = json.Unmarshal(params, &given)
		tools, next := page(given.Cursor)
		if next != "" {
			next = fmt.Sprintf(`,"nextCursor":%q`, next)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]%s}}`, id, strings.Join(tools, ","), next)
	}}
}

func toolText(name string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name)
}

// TestPages reads lists of every length: whole, and with an end where the server
// knows none.
func TestPages(t *testing.T) {
	number := func(cursor string) int { n, _ := strconv.Atoi(cursor); return n }
	for name, test := range map[string]struct {
		page  func(cursor string) ([]string, string)
		tools int
		note  string
	}{
		"500 tools over 10 pages": {func(cursor string) ([]string, string) {
			n, next := number(cursor), ""
			var tools []string
			for i := range 50 {
				tools = append(tools, toolText(fmt.Sprintf("tool-%03d", n*50+i)))
			}
			if n < 9 {
				next = strconv.Itoa(n + 1)
			}
			return tools, next
		}, 500, ""},
		"no end": {func(cursor string) ([]string, string) {
			n := number(cursor)
			return []string{toolText(cursor + "x")}, strconv.Itoa(n + 1)
		}, maxPages, "more than 50 pages"},
		"a loop": {func(cursor string) ([]string, string) {
			return []string{toolText("t" + cursor)}, map[string]string{"": "1", "1": "2", "2": "1"}[cursor]
		}, 3, "repeats itself"},
		"the same page": {func(cursor string) ([]string, string) {
			return []string{toolText("t" + cursor)}, "1"
		}, 2, "repeats itself"},
		"doubled": {func(cursor string) ([]string, string) {
			return []string{toolText("a"), toolText("a")}, map[string]string{"": "1"}[cursor]
		}, 1, "offered twice"},
		"unreadable": {func(string) ([]string, string) {
			return []string{toolText("a"), `5`, `{"name":""}`, `{"name":7}`, `null`, toolText("b")}, ""
		}, 2, "tool 2 of the list cannot be read"},
		"empty pages": {func(cursor string) ([]string, string) {
			if n := number(cursor); n < 9 {
				return nil, strconv.Itoa(n + 1)
			}
			return []string{toolText("last")}, ""
		}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := serveHTTP(t, newPager(test.page)).URL
			m := testManager(t, Options{}, quickTiming())
			status := connect(t, m, urlWant("s", "http", url, nil))
			if len(status.Tools) != test.tools {
				t.Errorf("%d tools", len(status.Tools))
			}
			if log := strings.Join(m.Log("s"), "\n"); !strings.Contains(log, test.note) {
				t.Errorf("log %s", log)
			}
		})
	}
}

// TestOtherListsChange hears of changed prompts and resources over every
// transport: nothing is read again, and calls go on.
func TestOtherListsChange(t *testing.T) {
	for _, door := range doors() {
		if strings.HasPrefix(door.name, "program") {
			continue
		}
		t.Run(door.name, func(t *testing.T) {
			var tools *sdk.Server
			w := door.want(t, func(server *sdk.Server) { tools = server })
			m := testManager(t, Options{}, quickTiming())
			before := connect(t, m, w)
			for i := range 3 {
				tools.AddPrompt(&sdk.Prompt{Name: fmt.Sprint("p", i)}, nil)
				tools.AddResource(&sdk.Resource{Name: "r", URI: fmt.Sprint("x:", i)}, nil)
			}
			call(t, m, "s", "echo", "{}")
			if after := m.Status("s"); after.State != StateConnected || !after.Since.Equal(before.Since) || len(after.Tools) != len(before.Tools) {
				t.Errorf("%+v", after)
			}
		})
	}
}
