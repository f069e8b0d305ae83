package host

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/message"
	"hermes/backend/policy"
)

// quietHost reads a file and starts nothing.
func quietHost(t *testing.T, file string, env map[string]string) *Host {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	h := New(Options{Home: config.Home{Dir: dir}, Version: "test", Getenv: func(name string) string { return env[name] }, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func rewrite(t *testing.T, h *Host, file string) {
	t.Helper()
	if err := os.WriteFile(h.Home().Config(), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
}

const colour = `{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","enum":["red","blue"]}},"required":["colour"]}}`

type asked struct {
	result string
	err    error
}

// elicits asks in the background; the question is open when it returns.
func elicits(ctx context.Context, t *testing.T, h *Host, params string) (approval.Question, <-chan asked) {
	t.Helper()
	signals := h.Subscribe(t.Context())
	out := make(chan asked, 1)
	go func() {
		result, err := h.elicit(ctx, "demo", json.RawMessage(params))
		out <- asked{string(result), err}
	}()
	for s := range signals {
		if s.Topic == TopicQuestions {
			break
		}
	}
	open := h.Questions()
	if len(open) != 1 {
		t.Fatalf("open: %+v", open)
	}
	return open[0], out
}

// TestElicitation puts a server's form before a person and takes the answer.
func TestElicitation(t *testing.T) {
	h := quietHost(t, "mcp_servers:\n  demo: {command: x, elicitation: {timeout: 60}}\n", nil)
	defer h.Attend()()
	for _, test := range []struct {
		answer approval.Answer
		want   string
	}{
		{approval.Answer{Action: approval.ActionAccept, Content: json.RawMessage(`{"colour":"red"}`)}, `{"action":"accept","content":{"colour":"red"}}`},
		{approval.Answer{Action: approval.ActionDecline}, `{"action":"decline"}`},
		{approval.Answer{Action: approval.ActionCancel}, `{"action":"cancel"}`},
	} {
		q, result := elicits(t.Context(), t, h, colour)
		if q.Server != "demo" || q.Message != "Which colour?" || q.Expires.Sub(q.Asked).Seconds() != 60 {
			t.Errorf("the question: %+v", q)
		}
		if ok, err := h.Answer(q.ID, approval.Answer{Action: approval.ActionAccept, Content: json.RawMessage(`{"colour":"green"}`)}); ok || err == nil {
			t.Error("a colour that was not offered was taken")
		}
		if ok, err := h.Answer(q.ID, test.answer); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if got := <-result; got.err != nil || got.result != test.want {
			t.Errorf("the server got %+v, want %s", got, test.want)
		}
		if ok, _ := h.Answer(q.ID, test.answer); ok {
			t.Error("a late answer counted")
		}
	}
}

// TestElicitationIsRefused: nothing is asked where the rules, the request or the
// place say no.
func TestElicitationIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		entry, params, want string
	}{
		"a whitelist":          {"tools: {include: [a]}", colour, "!elicitation is refused"},
		"locked":               {"tools: {include: []}, elicitation: true", colour, "!elicitation is refused"},
		"written off":          {"elicitation: false", colour, "!elicitation is refused"},
		"disabled":             {"enabled: false", colour, "!disabled"},
		"rules cannot be read": {"tools: 42, elicitation: true", colour, "!elicitation is refused"},
		"an address":           {"elicitation: true", `{"mode":"url","message":"x","url":"https://example.com","elicitationId":"1"}`, `{"action":"decline"}`},
		"a mode nobody knows":  {"elicitation: true", `{"mode":"voice","message":"x"}`, `{"action":"decline"}`},
		"no params":            {"elicitation: true", ``, "!cannot be read"},
		"a nested form":        {"elicitation: true", `{"message":"x","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`, "!cannot be asked"},
		"a long message":       {"elicitation: true", `{"message":"` + strings.Repeat("x", 5000) + `"}`, "!4000"},
	} {
		t.Run(name, func(t *testing.T) {
			h := quietHost(t, "mcp_servers:\n  demo: {command: x, "+test.entry+"}\n", nil)
			defer h.Attend()()
			signals := h.Subscribe(t.Context())
			got, err := h.elicit(t.Context(), "demo", json.RawMessage(test.params))
			if want, refused := strings.CutPrefix(test.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), want) || got != nil {
					t.Errorf("got %s, %v, want %q", got, err, want)
				}
			} else if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if len(signals) != 0 {
				t.Error("a person was asked")
			}
		})
	}
	h := quietHost(t, "mcp_servers:\n  demo: {command: x}\n", nil)
	if got, err := h.elicit(t.Context(), "demo", json.RawMessage(colour)); err != nil || string(got) != `{"action":"cancel"}` {
		t.Errorf("nobody listens: %s, %v", got, err)
	}
	if _, err := h.elicit(t.Context(), "other", json.RawMessage(colour)); err == nil {
		t.Error("a server nobody knows may ask")
	}
}

// TestLockTakesAQuestionBack locks the server, by an edit and by the file, while
// its question is open.
func TestLockTakesAQuestionBack(t *testing.T) {
	for name, lock := range map[string]func(t *testing.T, h *Host){
		"an edit": func(t *testing.T, h *Host) {
			if _, err := h.Apply(t.Context(), config.Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionLock}}); err != nil {
				t.Fatal(err)
			}
		},
		"the file": func(t *testing.T, h *Host) {
			rewrite(t, h, "mcp_servers:\n  demo: {command: x, tools: {include: []}}\n")
			h.Reload()
		},
		"off": func(t *testing.T, h *Host) {
			rewrite(t, h, "mcp_servers:\n  demo: {command: x, elicitation: false}\n")
			h.Reload()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := quietHost(t, "mcp_servers:\n  demo: {command: x}\n", nil)
			defer h.Attend()()
			q, result := elicits(t.Context(), t, h, colour)
			lock(t, h)
			if got := <-result; got.err != nil || got.result != `{"action":"decline"}` {
				t.Errorf("the server got %+v", got)
			}
			if ok, _ := h.Answer(q.ID, approval.Answer{Action: approval.ActionAccept, Content: json.RawMessage(`{"colour":"red"}`)}); ok {
				t.Error("the answer still counted")
			}
		})
	}
}

// TestQuestionEndsWithItsRequest: a server that takes its request back, and a
// program that ends.
func TestQuestionEndsWithItsRequest(t *testing.T) {
	h := quietHost(t, "mcp_servers:\n  demo: {command: x}\n", nil)
	defer h.Attend()()
	ctx, cancel := context.WithCancel(t.Context())
	_, result := elicits(ctx, t, h, colour)
	cancel()
	if got := <-result; got.err != nil || got.result != `{"action":"cancel"}` {
		t.Errorf("the server got %+v", got)
	}
	_, result = elicits(t.Context(), t, h, colour)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if got := <-result; got.err != nil || got.result != `{"action":"decline"}` {
		t.Errorf("the server got %+v", got)
	}
}

// TestSecretsOfAQuestion: a message that holds a secret of the file is shown
// without it, and the chat that waits is named.
func TestSecretsOfAQuestion(t *testing.T) {
	h := quietHost(t, "mcp_servers:\n  demo: {command: x, env: {API_TOKEN: \"${API_TOKEN}\"}}\n", nil)
	if err := os.WriteFile(h.Home().Env(), []byte("API_TOKEN=value-nobody-may-see\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Reload()
	defer h.Attend()()
	var said []string
	turn := newSpeaker("s1", func(e message.Event) { said = append(said, e.Text) })
	defer h.callers.enter("demo", turn)()
	q, result := elicits(t.Context(), t, h, `{"message":"Is it value-nobody-may-see?"}`)
	if strings.Contains(q.Message, "nobody-may-see") || q.Session != "s1" {
		t.Errorf("the question: %+v", q)
	}
	h.withdraw(&config.Snapshot{})
	<-result
	if len(said) != 1 || !strings.Contains(said[0], "was not answered") {
		t.Errorf("the chat was told %q", said)
	}
}
