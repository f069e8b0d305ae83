package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"hermes/backend/message"
	"hermes/backend/provider"
)

// faultyModel fails inside the program after a piece of its answer.
type faultyModel struct{ provider.Provider }

func (faultyModel) Stream(_ context.Context, _ provider.Request, onText func(string)) (provider.Turn, error) {
	onText("half an ans")
	panic("a fault with sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 in it")
}

// TestFaultEndsOneTurn: a fault inside the program, of the model's side or of whoever
// listens, ends the turn with an error and its last event; the log says where without
// secrets, and the session goes on.
func TestFaultEndsOneTurn(t *testing.T) {
	h := quietHost(t, answeringFile(t), nil)
	var log bytes.Buffer
	h.options.Logger = slog.New(slog.NewTextHandler(&log, nil))
	var inside message.Failure

	p, err := h.prepare(t.Context(), Turn{Text: "first"}, "cli")
	if err != nil {
		t.Fatal(err)
	}
	p.model = faultyModel{p.model}
	var types []message.EventType
	done, err := h.run(t.Context(), p, func(e message.Event) { types = append(types, e.Type) })
	if !errors.As(err, &inside) || inside.Code != message.TurnFaulted || done.StopReason != message.StopError {
		t.Errorf("the turn ended with %v, %+v", err, done)
	}
	if len(types) < 2 || !slices.Equal(types[len(types)-2:], []message.EventType{message.EventError, message.EventDone}) {
		t.Errorf("it told %q", types)
	}
	if said := log.String(); !strings.Contains(said, "faultyModel") || !strings.Contains(said, "a fault with") || strings.Contains(said, "abcdefghij") {
		t.Errorf("the log: %s", said)
	}

	ask := func(text string, fault bool) error {
		_, err := h.Ask(t.Context(), Turn{Session: p.session, Text: text}, func(_ string, e message.Event) {
			if fault {
				panic("a fault of whoever listens")
			}
		})
		return err
	}
	if err := ask("second", true); !errors.As(err, &inside) {
		t.Errorf("a listener's fault: %v", err)
	}
	if err := ask("third", false); err != nil {
		t.Errorf("the session does not go on: %v", err)
	}
	rows, err := p.sessions.Messages(t.Context(), p.session)
	if err != nil || len(rows) < 6 || rows[len(rows)-1].Content != "hello" {
		t.Errorf("stored: %+v, %v", rows, err)
	}
}

// pausedModel waits for its vendor before it answers.
type pausedModel struct{ provider.Provider }

func (p pausedModel) Stream(ctx context.Context, request provider.Request, onText func(string)) (provider.Turn, error) {
	request.Waits(message.Say(message.RetryAsked, "7s", "cannot reach the model server m: gone"))
	return p.Provider.Stream(ctx, request, onText)
}

// TestWaitForTheModelIsTold tells what a model is waited for, by code, and stores
// nothing of it.
func TestWaitForTheModelIsTold(t *testing.T) {
	h := quietHost(t, answeringFile(t), nil)
	p, err := h.prepare(t.Context(), Turn{Text: "first"}, "cli")
	if err != nil {
		t.Fatal(err)
	}
	p.model = pausedModel{p.model}
	var said []message.Saying
	if _, err := h.run(t.Context(), p, func(e message.Event) { said = append(said, e.Said...) }); err != nil {
		t.Fatal(err)
	}
	if len(said) != 2 || said[0].Code != message.RetryAsked || said[1].Code != message.ModelUnreachable {
		t.Errorf("it says %+v", said)
	}
	rows, err := p.sessions.Messages(t.Context(), p.session)
	if err != nil || len(rows) != 2 || strings.Contains(rows[0].Content+rows[1].Content, "7s") {
		t.Errorf("stored: %+v, %v", rows, err)
	}
}

// answeringFile is the file of a home whose model answers "hello".
func answeringFile(t *testing.T) string {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	return fmt.Sprintf("model: {provider: openai, default: usual, base_url: %q, api_key: test-key-of-no-worth}\n", model.URL)
}
