//go:build unix

package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/hook"
	"hermes/backend/message"
)

// observed reads what observers that keep their input in files of their own were
// told, by call id: several run at once, and a long line is more than one write.
func (h *home) observed() map[string][]map[string]any {
	files, err := filepath.Glob(h.path("seen*"))
	h.must(err)
	out := map[string][]map[string]any{}
	for _, file := range files {
		line, err := os.ReadFile(file)
		h.must(err)
		var told struct {
			Event string         `json:"hook_event_name"`
			Extra map[string]any `json:"extra"`
		}
		if err := json.Unmarshal(line, &told); err != nil || told.Event != hook.EventPostToolCall {
			h.t.Errorf("%v: %s", err, line[:min(len(line), 400)])
		}
		id, _ := told.Extra["tool_call_id"].(string)
		out[id] = append(out[id], told.Extra)
	}
	return out
}

func TestObserversAreTold(t *testing.T) {
	h := newHome(t)
	h.options.Observers = hook.NewObservers(nil)
	post := h.pre("post.sh", "cat > seen.$$")
	post.Event = hook.EventPostToolCall
	failing := post
	failing.Command = h.script("fail.sh", "echo garbage; exit 2")
	other := post
	other.Matcher = "mcp__web__.*"
	broken := post
	broken.Matcher = "("
	runner := h.trusted(post, failing, other, broken)
	outcomes := map[string]struct {
		hook.Outcome
		status, kind string
	}{
		"ok":          {hook.Outcome{Status: message.StatusOK, Content: "done", Duration: 1234 * time.Millisecond}, "ok", ""},
		"error":       {hook.Outcome{Status: message.StatusError, Content: "it went wrong"}, "error", "tool_error"},
		"denied":      {hook.Outcome{Status: message.StatusDenied, Content: "no"}, "blocked", "tool_scope_block"},
		"blocked":     {hook.Outcome{Status: message.StatusBlocked, Content: "no", ErrorType: "guardrail_block"}, "blocked", "guardrail_block"},
		"interrupted": {hook.Outcome{Status: message.StatusInterrupted}, "cancelled", "user_interrupt"},
		"lost":        {hook.Outcome{Status: message.StatusUnknown, ErrorType: hook.KindServerLost}, "error", "server_lost"},
		"unknown":     {hook.Outcome{Status: message.StatusUnknown}, "timeout", "tool_timeout"},
		"stopped":     {hook.Outcome{Status: message.StatusUnknown, ErrorType: "user_interrupt"}, "cancelled", "user_interrupt"},
		"long":        {hook.Outcome{Status: message.StatusOK, Content: strings.Repeat("x", 2<<20)}, "ok", ""},
		"nobody's":    {hook.Outcome{}, "error", "tool_error"},
	}
	for id, o := range outcomes {
		call := aCall()
		call.ID = id
		if told := runner.After(t.Context(), call, o.Outcome); id == "ok" {
			if <-told; len(h.observed()["ok"]) != 1 {
				t.Error("it is told before it was told")
			}
		}
	}
	if untold := h.options.Observers.Close(time.Minute); untold != 0 {
		t.Errorf("%d untold", untold)
	}
	seen := h.observed()
	for id, o := range outcomes {
		if len(seen[id]) != 1 {
			t.Errorf("%s was told %d times", id, len(seen[id]))
			continue
		}
		extra := seen[id][0]
		kind, _ := extra["error_type"].(string)
		if extra["status"] != o.status || kind != o.kind || extra["turn_id"] != "t1" {
			t.Errorf("%s: %v", id, extra)
		}
		if id == "ok" && (extra["result"] != "done" || extra["duration_ms"] != 1234.0) {
			t.Errorf("%v", extra)
		}
		if id == "long" && (extra["result_cut"] != true || len(extra["result"].(string)) != 1<<20) {
			t.Error("a long result was not cut")
		}
	}
	// Nobody is told after the end, and nobody waits for it.
	<-runner.After(t.Context(), aCall(), hook.Outcome{})
	if untold := h.options.Observers.Close(time.Minute); untold != 2 {
		t.Errorf("%d untold", untold)
	}
}

// TestObserversEndWithTheProgram: one that hangs is ended when the wait is over,
// and those behind it are counted.
func TestObserversEndWithTheProgram(t *testing.T) {
	h := newHome(t)
	h.options.Observers = hook.NewObservers(nil)
	post := h.pre("post.sh", "touch begun; sleep 1000")
	post.Event = hook.EventPostToolCall
	runner := h.trusted(post)
	for range 10 {
		runner.After(t.Context(), aCall(), hook.Outcome{})
	}
	eventually(t, func() bool { return h.there("begun") })
	if untold := h.options.Observers.Close(0); untold < 6 || untold > 10 {
		t.Errorf("%d untold", untold)
	}
}

func TestTrial(t *testing.T) {
	h := newHome(t)
	h.options.Clean = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	pre := h.pre("pre.sh", "echo '{\"action\":\"block\",\"message\":\"secret\"}'; echo secret >&2")
	post := h.pre("post.sh", "cat > seen; exit 3")
	post.Event = hook.EventPostToolCall
	runner := h.trusted(pre, post)
	verdict, trial := runner.Test(t.Context(), pre, aCall(), hook.Outcome{})
	if verdict.Decision != hook.Block || !trial.Ran || trial.Failure != "" || trial.Errors != "***\n" || strings.Contains(verdict.Reason+trial.Output, "secret") {
		t.Errorf("%+v %+v", verdict, trial)
	}
	verdict, trial = runner.Test(t.Context(), post, aCall(), hook.Outcome{Status: message.StatusOK})
	if verdict.Decision != hook.Allow || !trial.Ran || trial.Code != 3 || !strings.Contains(trial.Failure, "3") || len(h.observed()["call_1"]) != 1 {
		t.Errorf("%+v %+v", verdict, trial)
	}
	h.script("pre.sh", "true")
	if verdict, trial := runner.Test(t.Context(), pre, aCall(), hook.Outcome{}); verdict.Decision != hook.Block || trial.Ran {
		t.Errorf("%+v %+v", verdict, trial)
	}
}
