package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// odd is a result that no decoding survives: big and precise numbers, an unknown
// block with an unknown member, an order of its own, markup, a line separator.
const odd = `{"isError":false,"structuredContent":{"b":9007199254740993,"a":1.0,"t":"<b>&\u2028"},"extra":[1],` +
	`"content":[{"type":"hologram","depth":18446744073709551617},{"type":"text","text":"x"}],"_meta":{"com.example/n":12345678901234567890}}`

// odds are results and what a client of each era must read, byte for byte.
func odds() []struct{ name, raw, older, newer string } {
	const ours = `"io.modelcontextprotocol/serverInfo":{"name":"hermes-gateway","title":"Hermes gateway","version":"test"}`
	return []struct{ name, raw, older, newer string }{
		{
			"whole", odd, odd,
			strings.TrimSuffix(odd, "}}") + "," + ours + `},"resultType":"complete"}`,
		},
		{
			"of a server of the newest protocol",
			`{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"theirs","version":"9"},"k":1},"content":[]}`,
			`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"theirs","version":"9"},"k":1},"content":[]}`,
			`{"resultType":"complete","_meta":{` + ours + `,"k":1},"content":[]}`,
		},
		{
			"not all of it UTF-8", "{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\xfe\xe4\xb8z\\u00e9 é\"}]}",
			"{\"content\":[{\"type\":\"text\",\"text\":\"a\ufffd\ufffd\ufffd\ufffdz\\u00e9 é\"}]}",
			"{\"content\":[{\"type\":\"text\",\"text\":\"a\ufffd\ufffd\ufffd\ufffdz\\u00e9 é\"}],\"resultType\":\"complete\",\"_meta\":{" + ours + "}}",
		},
		{
			"structured alone", `{"structuredContent":null}`, `{"structuredContent":null,"content":[]}`,
			`{"structuredContent":null,"content":[],"resultType":"complete","_meta":{` + ours + `}}`,
		},
		{
			"not a tool's", `{"resources":[]}`, `{"content":[{"type":"text","text":"as text"}]}`,
			`{"_meta":{` + ours + `},"content":[{"type":"text","text":"as text"}],"resultType":"complete"}`,
		},
		{
			"asks for more", `{"resultType":"input_required","content":[],"inputRequests":{}}`, `{"content":[{"type":"text","text":"as text"}]}`,
			`{"_meta":{` + ours + `},"content":[{"type":"text","text":"as text"}],"resultType":"complete"}`,
		},
	}
}

// TestResultIsForwardedWhole reads the bytes that a client gets over both
// transports and in both eras.
func TestResultIsForwardedWhole(t *testing.T) {
	for _, row := range odds() {
		t.Run(row.name, func(t *testing.T) {
			o := &offer{result: Result{Raw: json.RawMessage(row.raw), Text: "as text"}}
			o.set("a")
			older, newer := callOverPipe(t, o)
			if older != row.older {
				t.Errorf("stdio\n got %s\nwant %s", older, row.older)
			}
			if newer != row.newer {
				t.Errorf("stdio, newest protocol\n got %s\nwant %s", newer, row.newer)
			}
			older, newer = callOverHTTP(t, o)
			if older != row.older {
				t.Errorf("HTTP\n got %s\nwant %s", older, row.older)
			}
			if newer != row.newer {
				t.Errorf("HTTP, newest protocol\n got %s\nwant %s", newer, row.newer)
			}
		})
	}
}

const (
	helloOlder = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	readyOlder = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listOlder  = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`
	callOlder  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{}}}`
	metaNewer  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
	listNewer  = `{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{` + metaNewer + `}}`
	callNewer  = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a","arguments":{},` + metaNewer + `}}`
)

// callOverPipe speaks by hand, so that no decoding of ours hides a difference.
func callOverPipe(t *testing.T, o *offer) (older, newer string) {
	t.Helper()
	talk := func(lines ...string) string {
		s := quiet(o)
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), toServer, fromServer) }()
		answers := json.NewDecoder(toClient)
		result := ""
		for _, line := range lines {
			if _, err := io.WriteString(fromClient, line+"\n"); err != nil {
				t.Fatal(err)
			}
			if line == readyOlder {
				continue
			}
			var message struct {
				ID     int
				Result json.RawMessage
			}
			for message.ID == 0 {
				if err := answers.Decode(&message); err != nil {
					t.Fatal(err)
				}
			}
			result = string(message.Result)
		}
		fromClient.Close()
		go func() { _, _ = io.Copy(io.Discard, toClient) }()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		fromServer.Close()
		return result
	}
	return talk(helloOlder, readyOlder, listOlder, callOlder), talk(listNewer, callNewer)
}

func callOverHTTP(t *testing.T, o *offer) (older, newer string) {
	t.Helper()
	r := listen(t, quiet(o), HTTPOptions{})
	_, _, session := r.post(helloOlder, nil)
	with := func(q *http.Request) {
		q.Header.Set("Mcp-Session-Id", session)
		q.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	r.post(readyOlder, with)
	r.post(listOlder, with)
	_, older, _ = r.post(callOlder, with)
	alone := func(method string) func(q *http.Request) {
		return func(q *http.Request) {
			q.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			q.Header.Set("Mcp-Method", method)
			if method == "tools/call" {
				q.Header.Set("Mcp-Name", "a")
			}
		}
	}
	r.post(listNewer, alone("tools/list"))
	_, newer, _ = r.post(callNewer, alone("tools/call"))
	return older, newer
}
