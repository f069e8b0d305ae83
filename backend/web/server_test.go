package web_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hermes/backend/view"
	"hermes/backend/web"
)

// TestEveryMethod calls each method of the table once with its arguments.
func TestEveryMethod(t *testing.T) {
	d := newDesk()
	r := serve(t, options(d))
	table := []struct{ method, args, want string }{
		{"Overview", `[]`, "Overview"},
		{"Servers", `[]`, "Servers"},
		{"Server", `["demo"]`, "Server demo"},
		{"SetTool", honestEdit, "SetTool demo read_file on=false at r7"},
		{"Lock", `[{"server":"demo","revision":"r1"}]`, "Lock demo at r1"},
		{"Open", `[{"server":"demo","revision":"r1"}]`, "Open demo at r1"},
		{"Restore", `[{"server":"demo","revision":"r1"}]`, "Restore demo at r1"},
		{"Select", `[{"server":"demo","on":["a","b"],"off":[],"lock_to":true,"expand":false,"revision":"r1"}]`, `Select demo ["a" "b"] lock=true at r1`},
		{"Why", `["demo","a.b"]`, "Why demo a.b"},
		{"Findings", `[]`, "Findings"},
		{"Arrival", `[]`, "Arrival"},
		{"Catalog", `[]`, "Catalog"},
		{"InstallPlan", `[{"name":"files","values":{},"confirmed":false,"skip_integrity":false,"revision":""}]`, "InstallPlan files"},
		{"InstallEntry", `[{"name":"files","values":{"KEY":"v"},"confirmed":true,"skip_integrity":false,"revision":"r1"}]`, "InstallEntry files with 1 values, confirmed=true at r1"},
		{"Start", `[]`, "Start"},
		{"Look", `["demo"]`, "Look demo"},
		{"Retry", `["demo"]`, "Retry demo"},
		{"Measure", `["demo"]`, "Measure demo"},
		{"ReloadNow", `[]`, "ReloadNow"},
		{"Glance", `[]`, "Glance"},
		{"Changes", `[]`, "Changes"},
		{"AcceptChanges", `[{"server":"demo","tools":["a"],"now":{"a":"0123456789ab"}}]`, `AcceptChanges demo ["a"] map[a:0123456789ab]`},
		{"UseHome", `[]`, "UseHome"},
		{"ChatSend", `["s1","hello"]`, `ChatSend s1 "hello"`},
		{"ChatStop", `["s1"]`, "ChatStop s1"},
		{"Questions", `[]`, "Questions"},
		{"AnswerQuestion", `[{"id":"q1","action":"accept","content":"{}"}]`, "AnswerQuestion q1 accept {}"},
		{"SearchPast", `["the notes"]`, `SearchPast "the notes"`},
		{"ForgetSession", `["s1"]`, "ForgetSession s1"},
		{"SessionFile", `["s1"]`, "SessionFile s1"},
		{"Grants", `[]`, "Grants"},
		{"RevokeGrant", `[[1,2]]`, "RevokeGrant [1 2]"},
		{"Sessions", `[]`, "Sessions"},
		{"Transcript", `["s1"]`, "Transcript s1"},
		{"Report", `[{"policy_loaded":true,"policy_error":"","servers":2,"transport":"http","millis":5}]`, "Report loaded=true"},
	}
	var want []string
	for _, row := range table {
		if status, body := r.post("/api/call/"+row.method, row.args, nil); status != 200 {
			t.Errorf("%s: %d %s", row.method, status, body)
		}
		want = append(want, row.want)
	}
	if got := d.seen(); !slices.Equal(got, want) {
		t.Errorf("the desk saw %q, want %q", got, want)
	}
	_, body := r.post("/api/call/Server", `["demo"]`, nil)
	var detail view.ServerDetail
	if err := json.Unmarshal(body, &detail); err != nil || detail.Tree != "AQI=" {
		t.Errorf("Server answered %s (%v)", body, err)
	}
}

// TestEditsSayWhatTheyMean: an edit without its revision, or without the word
// that decides, is no edit.
func TestEditsSayWhatTheyMean(t *testing.T) {
	d := newDesk()
	r := serve(t, options(d))
	for _, row := range [][2]string{
		{"SetTool", `[{"server":"demo","tool":"a","revision":"r1"}]`},
		{"SetTool", `[{"server":"demo","tool":"a","on":false}]`},
		{"SetTool", `[{"server":"demo","tool":"a","on":null,"revision":"r1"}]`},
		{"Open", `[{"server":"demo"}]`},
		{"Open", `[{"server":"demo","revision":""}]`},
		{"Lock", `[{"server":"demo","revision":null}]`},
		{"Restore", `[{"server":"demo"}]`},
		{"Select", `[{"server":"demo","on":["a"],"off":[]}]`},
	} {
		status, body := r.post("/api/call/"+row[0], row[1], nil)
		if e := failure(t, body); status != http.StatusBadRequest || e.Code != "usage" {
			t.Errorf("%s %s: %d %+v", row[0], row[1], status, e)
		}
	}
	if got := d.seen(); len(got) != 0 {
		t.Errorf("the desk saw %q", got)
	}
}

func TestFailures(t *testing.T) {
	d := newDesk()
	d.fail = errConflict
	r := serve(t, options(d))
	status, body := r.post("/api/call/SetTool", honestEdit, nil)
	want := view.Error{Code: "conflict", Message: "conflict", Hint: "look again", File: "config.yaml", Line: 12}
	if e := failure(t, body); status != http.StatusConflict || e != want {
		t.Errorf("conflict: %d %+v", status, e)
	}
	d.panic = true
	status, body = r.post("/api/call/Start", `[]`, nil)
	if e := failure(t, body); status != http.StatusInternalServerError || strings.Contains(e.Message, "fell over") {
		t.Errorf("panic: %d %+v", status, e)
	}
}

func TestStatusOfCodes(t *testing.T) {
	for code, want := range map[string]int{"conflict": 409, "unknown_server": 404, "usage": 400, "refused": 422, "failed": 500, "": 500} {
		d := newDesk()
		d.fail = errors.New("x")
		o := options(d)
		o.Fail = func(error) view.Error { return view.Error{Code: code, Message: "x"} }
		r := serve(t, o)
		if status, _ := r.post("/api/call/Start", `[]`, nil); status != want {
			t.Errorf("%q: %d, want %d", code, status, want)
		}
	}
}

func TestEvents(t *testing.T) {
	d := newDesk()
	r := serve(t, options(d))
	open := func() (*http.Response, *bufio.Reader) {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/events", nil)
		req.Header.Set("X-Hermes-Token", r.token)
		resp, err := r.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
			t.Fatalf("type %q", got)
		}
		return resp, bufio.NewReader(resp.Body)
	}
	read := func(b *bufio.Reader) string {
		t.Helper()
		var lines []string
		for {
			line, err := b.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended: %v after %q", err, lines)
			}
			if line == "\n" {
				return strings.Join(lines, "")
			}
			lines = append(lines, line)
		}
	}
	resp, stream := open()
	if got := read(stream); got != "event: ready\ndata: {}\n" {
		t.Errorf("first event %q", got)
	}
	<-d.listening
	d.signals <- view.Signal{Topic: "config", Revision: "r8"}
	if got := read(stream); got != "event: signal\ndata: {\"topic\":\"config\",\"revision\":\"r8\"}\n" {
		t.Errorf("signal %q", got)
	}
	d.signals <- view.Signal{Topic: "chat", Chat: &view.ChatEvent{Type: "text", Text: "line\nline", Provisional: true}}
	if got := read(stream); !strings.Contains(got, `"text":"line\nline"`) || strings.Count(got, "\n") != 2 {
		t.Errorf("chat %q", got)
	}
	// A page that goes away ends its subscription.
	resp.Body.Close()
	<-d.ended
	// A program that stops ends the stream, without waiting for the page.
	resp, stream = open()
	defer resp.Body.Close()
	read(stream)
	<-d.listening
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	<-d.ended
	// A clean end is EOF; a stream that had to be cut off is an unexpected one.
	if _, err := stream.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v", err)
	}
}

// TestSlowReader: when the host cuts a subscriber off, the stream ends, so that
// the page comes again instead of showing an old state.
func TestSlowReader(t *testing.T) {
	d := newDesk()
	r := serve(t, options(d))
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/events", nil)
	req.Header.Set("X-Hermes-Token", r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-d.listening
	close(d.signals)
	b := bufio.NewReader(resp.Body)
	for err == nil {
		_, err = b.ReadByte()
	}
	if err.Error() != "EOF" {
		t.Errorf("ended with %v", err)
	}
	<-d.ended
}

func TestData(t *testing.T) {
	r := serve(t, options(newDesk()))
	resp, body := r.do(http.MethodGet, "/data/results/s1/call%2F1", "", nil)
	if resp.StatusCode != 200 || string(body) != "<script>alert(1)</script>" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	if got := resp.Header.Get("Content-Security-Policy"); !strings.Contains(got, "sandbox") {
		t.Errorf("policy %q", got)
	}
	if resp, body := r.do(http.MethodGet, "/data/results/s1/other", "", nil); resp.StatusCode != 404 {
		t.Errorf("unknown: %d %s", resp.StatusCode, body)
	}
	if resp, body := r.do(http.MethodGet, "/data/results/s1/broken", "", nil); resp.StatusCode != 500 || strings.Contains(string(body), "secret") {
		t.Errorf("broken: %d %s", resp.StatusCode, body)
	}
}

func TestPage(t *testing.T) {
	r := serveBare(t, options(newDesk()))
	resp, body := r.do(http.MethodGet, "/", "", nil)
	nonce := regexp.MustCompile(`nonce="([A-Z2-7]+)"`).FindSubmatch(body)
	policy := resp.Header.Get("Content-Security-Policy")
	if nonce == nil || !strings.Contains(policy, "'nonce-"+string(nonce[1])+"'") {
		t.Errorf("page %s has not the nonce of %q", body, policy)
	}
	if strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "'unsafe-eval'") {
		t.Errorf("policy %q", policy)
	}
	if _, again := r.do(http.MethodGet, "/", "", nil); string(again) == string(body) {
		t.Error("two answers share a nonce")
	}
	for path, want := range map[string]string{
		"/policy.wasm": "application/wasm", "/assets/app-1234.js": "text/javascript; charset=utf-8", "/": "text/html; charset=utf-8",
	} {
		resp, _ := r.do(http.MethodGet, path, "", nil)
		if got := resp.Header.Get("Content-Type"); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
		if got := resp.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
	}
}

func TestPageNotBuilt(t *testing.T) {
	o := options(newDesk())
	o.Page = fstest.MapFS{".gitkeep": {}}
	r := serveBare(t, o)
	resp, body := r.do(http.MethodGet, "/", "", nil)
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "make page") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	const long = "correct horse battery"
	table := []struct {
		name, addr, password string
		remote               bool
		want                 string // part of the message; empty: it works
	}{
		{"default", "", "", false, ""},
		{"loopback", "127.0.0.1:0", "", false, ""},
		{"localhost", "localhost:0", "", false, ""},
		{"every interface", "0.0.0.0:0", "", false, "other machines"},
		{"no host", ":0", "", false, "other machines"},
		{"a name", "example.invalid:0", "", false, "other machines"},
		{"remote without password", "0.0.0.0:0", "", true, "password"},
		{"remote with a short password", "0.0.0.0:0", "elevenchars", true, "password"},
		{"remote", "0.0.0.0:0", long, true, ""},
		{"no port", "127.0.0.1", "", false, "host:port"},
		{"in use", taken.Addr().String(), "", false, "in use"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			o := options(newDesk())
			o.Addr, o.AllowRemote, o.Password = row.addr, row.remote, row.password
			s, err := web.Listen(t.Context(), o)
			if s != nil {
				defer s.Close()
			}
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if !row.remote && !s.Addr().Addr().IsLoopback() {
					t.Errorf("listens on %s", s.Addr())
				}
				return
			}
			address := (*web.AddressError)(nil)
			if !errors.As(err, &address) || !strings.Contains(address.Message, row.want) || address.Hint == "" {
				t.Errorf("%v, want a message with %q and a hint", err, row.want)
			}
		})
	}
}

// TestRemoteHosts: a remote address answers to literals and to the names it was
// given, and to no other name.
func TestRemoteHosts(t *testing.T) {
	o := options(newDesk())
	o.Addr, o.AllowRemote, o.Password, o.Hosts = "0.0.0.0:0", true, "correct horse battery", []string{"Den.local"}
	r := serveBare(t, o)
	_, port, _ := net.SplitHostPort(r.server.Addr().String())
	r.base = "http://127.0.0.1:" + port
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "192.0.2.7:" + port: 200, "den.local:" + port: 200,
		"evil.example:" + port: 403, "192.0.2.7:1": 403,
	} {
		resp, _ := r.do(http.MethodGet, "/", "", func(q *http.Request) { q.Host = host })
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, resp.StatusCode, want)
		}
	}
}
