package web_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const honestEdit = `[{"server":"demo","tool":"read_file","on":false,"expand":false,"revision":"r7"}]`

// TestAttacks sends what must not get through. Every request differs from an
// honest one in one thing, and none of them may reach the desk.
func TestAttacks(t *testing.T) {
	d := newDesk()
	r := serve(t, options(d))
	port := strconv.Itoa(int(r.server.Addr().Port()))
	host := func(h string) func(*http.Request) { return func(q *http.Request) { q.Host = h } }
	header := func(k, v string) func(*http.Request) { return func(q *http.Request) { q.Header.Set(k, v) } }
	table := []struct {
		name, method, path, body string
		edit                     func(*http.Request)
		want                     int
	}{
		{"foreign name that resolves here", "POST", "/api/call/SetTool", honestEdit, host("evil.example:" + port), 403},
		{"name that starts like ours", "POST", "/api/call/SetTool", honestEdit, host("127.0.0.1.evil.example:" + port), 403},
		{"our name, another port", "POST", "/api/call/SetTool", honestEdit, host("127.0.0.1:1"), 403},
		{"our name without port", "POST", "/api/call/SetTool", honestEdit, host("127.0.0.1"), 403},
		{"another loopback address", "POST", "/api/call/SetTool", honestEdit, host("127.0.0.2:" + port), 403},
		{"the page under a foreign name", "GET", "/", "", host("evil.example:" + port), 403},
		{"other site", "POST", "/api/call/SetTool", honestEdit, header("Origin", "http://evil.example"), 403},
		{"opaque origin", "POST", "/api/call/SetTool", honestEdit, header("Origin", "null"), 403},
		{"our address over https", "POST", "/api/call/SetTool", honestEdit, header("Origin", "https://127.0.0.1:"+port), 403},
		{"another port of ours", "POST", "/api/call/SetTool", honestEdit, header("Origin", "http://127.0.0.1:1"), 403},
		{"two origins", "POST", "/api/call/SetTool", honestEdit, func(q *http.Request) {
			q.Header["Origin"] = []string{"http://127.0.0.1:" + port, "http://evil.example"}
		}, 403},
		{"cross-site fetch", "POST", "/api/call/SetTool", honestEdit, header("Sec-Fetch-Site", "cross-site"), 403},
		{"same-site fetch", "POST", "/api/call/SetTool", honestEdit, header("Sec-Fetch-Site", "same-site"), 403},
		{"no token", "POST", "/api/call/SetTool", honestEdit, func(q *http.Request) { q.Header.Del("X-Hermes-Token") }, 401},
		{"empty token", "POST", "/api/call/SetTool", honestEdit, header("X-Hermes-Token", ""), 401},
		{"wrong token", "POST", "/api/call/SetTool", honestEdit, header("X-Hermes-Token", "x"+r.token), 401},
		{"token in the address", "POST", "/api/call/SetTool?token=" + r.token, honestEdit, func(q *http.Request) { q.Header.Del("X-Hermes-Token") }, 401},
		{"token in a cookie", "POST", "/api/call/SetTool", honestEdit, func(q *http.Request) {
			q.Header.Del("X-Hermes-Token")
			q.Header.Set("Cookie", "X-Hermes-Token="+r.token)
		}, 401},
		{"events without token", "GET", "/api/events", "", func(q *http.Request) { q.Header.Del("X-Hermes-Token") }, 401},
		{"results without token", "GET", "/data/results/s1/call%2F1", "", func(q *http.Request) { q.Header.Del("X-Hermes-Token") }, 401},
		{"GET on a call", "GET", "/api/call/Start", "", nil, 405},
		{"PUT on a call", "PUT", "/api/call/Start", "[]", nil, 405},
		{"POST on events", "POST", "/api/events", "[]", nil, 405},
		{"preflight", "OPTIONS", "/api/call/Start", "", header("Origin", "http://evil.example"), 405},
		{"unknown method", "POST", "/api/call/Shutdown", "[]", nil, 404},
		{"method in other letters", "POST", "/api/call/start", "[]", nil, 404},
		{"an unexported word", "POST", "/api/call/note", "[]", nil, 404},
		{"form body", "POST", "/api/call/Start", "[]", header("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"text body", "POST", "/api/call/Start", "[]", header("Content-Type", "text/plain"), 415},
		{"no type", "POST", "/api/call/Start", "[]", func(q *http.Request) { q.Header.Del("Content-Type") }, 415},
		{"oversized body", "POST", "/api/call/ChatSend", `["","` + strings.Repeat("a", 1<<20) + `"]`, nil, 413},
		{"no JSON", "POST", "/api/call/Start", "[", nil, 400},
		{"an object for the arguments", "POST", "/api/call/Start", "{}", nil, 400},
		{"two values", "POST", "/api/call/Start", "[] []", nil, 400},
		{"one argument too many", "POST", "/api/call/Start", "[1]", nil, 400},
		{"one argument too few", "POST", "/api/call/Why", `["demo"]`, nil, 400},
		{"null for an edit", "POST", "/api/call/SetTool", "[null]", nil, 400},
		{"misspelt field", "POST", "/api/call/SetTool", `[{"server":"demo","tool":"read_file","onn":true}]`, nil, 400},
		{"wrong type", "POST", "/api/call/SetTool", `[{"server":"demo","tool":"read_file","on":"true"}]`, nil, 400},
		{"climbing out of the page", "GET", "/%2e%2e/%2e%2e/etc/passwd", "", nil, 404},
		{"a dot file", "GET", "/.gitkeep", "", nil, 404},
		{"unknown api", "GET", "/api/", "", nil, 404},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			resp, body := r.do(row.method, row.path, row.body, row.edit)
			if resp.StatusCode != row.want {
				t.Errorf("%s %s: %d, want %d (%s)", row.method, row.path, resp.StatusCode, row.want, body)
			}
			for k := range resp.Header {
				if strings.HasPrefix(k, "Access-Control-") {
					t.Errorf("an answer to another site: %s", k)
				}
			}
			if e := failure(t, body); e.Message == "" {
				t.Errorf("no message in %s", body)
			}
			if strings.Contains(string(body), r.token) {
				t.Error("the answer holds the token")
			}
		})
	}
	if got := d.seen(); len(got) != 0 {
		t.Errorf("these reached the desk: %q", got)
	}
	// The honest request, so that the table above proves something.
	status, body := r.post("/api/call/SetTool", honestEdit, func(q *http.Request) {
		q.Header.Set("Origin", "http://"+q.URL.Host)
		q.Header.Set("Sec-Fetch-Site", "same-origin")
	})
	if status != http.StatusOK || !slices.Equal(d.seen(), []string{"SetTool demo read_file on=false at r7"}) {
		t.Errorf("the honest edit: %d %s, desk saw %q", status, body, d.seen())
	}
}

func TestTicketIsGoodOnce(t *testing.T) {
	r := serveBare(t, options(newDesk()))
	exchange := func(ticket string) int {
		t.Helper()
		status, _ := r.post("/api/session", `{"ticket":"`+ticket+`"}`, nil)
		return status
	}
	_, first, _ := strings.Cut(r.server.URL(), "#ticket=")
	_, second, _ := strings.Cut(r.server.URL(), "#ticket=")
	if first == second {
		t.Fatal("two addresses hold the same ticket")
	}
	for _, step := range []struct {
		name, ticket string
		want         int
	}{
		{"first use", first, 200}, {"second use", first, 401}, {"empty", "", 401},
		{"the other", second, 200}, {"the other again", second, 401},
	} {
		if got := exchange(step.ticket); got != step.want {
			t.Errorf("%s: %d, want %d", step.name, got, step.want)
		}
	}
	for range 20 {
		exchange("guess")
	}
	_, third, _ := strings.Cut(r.server.URL(), "#ticket=")
	if got := exchange(third); got != http.StatusTooManyRequests {
		t.Errorf("after many guesses: %d, want 429", got)
	}
}

func TestPassword(t *testing.T) {
	d := newDesk()
	o := options(d)
	o.Password = "correct horse battery"
	r := serveBare(t, o)
	if strings.Contains(r.server.URL(), "#") {
		t.Error("an address with a ticket where a password is asked for")
	}
	if _, body := r.do(http.MethodGet, "/api/session", "", nil); string(body) != `{"needs":"password"}` {
		t.Errorf("entry says %s", body)
	}
	for password, want := range map[string]int{"": 401, "correct horse": 401, "correct horse battery": 200} {
		if status, _ := r.post("/api/session", `{"password":"`+password+`"}`, nil); status != want {
			t.Errorf("password %q: %d, want %d", password, status, want)
		}
	}
}
