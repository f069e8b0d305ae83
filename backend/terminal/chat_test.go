package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/backend/view"
)

// chatting is a screen in the middle of a turn. Its jobs are not run.
func chatting(t *testing.T, width, height int) *chatScreen {
	t.Helper()
	k := newTalk(t.Context(), nil, paint{}, width)
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k.now = func() time.Time { clock = clock.Add(time.Second / 2); return clock }
	m := newScreen(k, []string{"earlier"}, func(*talk) {})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	k.session, k.running, k.began = "s", true, clock
	m.printing = true // what is said stays to be looked at
	return m
}

func (m *chatScreen) events(events ...view.ChatEvent) {
	for _, e := range events {
		e.Session = "s"
		m.Update(heardMsg{signal: view.Signal{Topic: "chat", Chat: &e}})
	}
}

// printedText is everything that was said so far, printed or waiting for it.
func (m *chatScreen) printedText() string {
	text := strings.Join(m.pending, "\n")
	m.pending = nil
	return text
}

func (m *chatScreen) keys(keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "alt+enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case "up":
			msg = tea.KeyPressMsg{Code: tea.KeyUp}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		case "ctrl+d":
			msg = tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}
		case "ctrl+j":
			msg = tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
		}
		m.Update(msg)
	}
}

func batchCard() view.Question {
	yes := true
	one := func(id, arguments string, scopes ...string) view.QuestionCall {
		return view.QuestionCall{Call: id, Name: "mcp__s__" + id, Server: "s", Tool: id, Arguments: arguments, Scopes: scopes, Destructive: &yes,
			Why: []view.QuestionWhy{{Code: "untrusted", Text: "not trusted\nline \u202etwo"}}}
	}
	return view.Question{ID: "q", Kind: "calls", Session: "s", Expires: "2026-01-02T03:14:05Z", Calls: []view.QuestionCall{
		one("read", `{"path":"a\u202eb‮"}`, "once", "session", "always"), one("own", `{"x":[`+strings.Repeat("1,", 400)+`1]}`, "once"), one("third", `not JSON`, "once", "session", "always")}}
}

func (m *chatScreen) put(questions ...view.Question) {
	m.Update(workedMsg{func(t *talk) { t.questions(questions) }})
}

func decided(a view.Answer) string {
	var b strings.Builder
	b.WriteString(a.Action)
	for _, c := range a.Choices {
		b.WriteString(" " + c.Call + ":")
		if c.Allow {
			b.WriteString(c.Scope)
		}
		b.WriteString(c.Reason)
	}
	return b.String()
}

func TestCardKeys(t *testing.T) {
	for _, test := range []struct {
		name, keys, want string
	}{
		{"nothing allows nothing", "", "decline read: own: third:"},
		{"one", "o", "accept read:once own: third:"},
		{"each its own", "s j o j a", "accept read:session own:once third:always"},
		{"taken back", "a d", "decline read: own: third:"},
		{"a scope that is not offered", "j a s", "decline read: own: third:"},
		{"space", "space down space down space up space", "accept read:once own: third:once"},
		{"esc denies what was allowed", "o j o esc", "decline read: own: third:"},
		{"past the ends", "k k o j j j j j s", "accept read:once own: third:session"},
		{"other letters", "x y 1 A O", "decline read: own: third:"},
	} {
		c := newCard(batchCard())
		for key := range strings.FieldsSeq(test.keys) {
			c.key(key)
		}
		if got := decided(c.answer()); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestApproveWords(t *testing.T) {
	for words, want := range map[string]string{
		"":            "accept read:once own:once third:once",
		"1 3 session": "accept read:session own: third:session",
		"always":      "2 s/own cannot be allowed always",
		"4":           "neither a number",
		"0":           "neither a number",
		"-1":          "neither a number",
		"x once":      "neither a number",
	} {
		c := newCard(batchCard())
		got := c.approve(strings.Fields(words))
		if got == "" {
			got = decided(c.answer())
		} else if decided(c.answer()) != "decline read: own: third:" {
			t.Errorf("%q: a wrong word allowed something", words)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}

// TestCardWaitsForSilence: keys that were typed before the card was seen answer
// nothing, however many they are, and each begins the wait anew.
func TestCardWaitsForSilence(t *testing.T) {
	m := chatting(t, 80, 24)
	m.keys("s", "o")
	m.put(batchCard())
	if m.card == nil || m.focus != focusCard {
		t.Fatal("no card")
	}
	m.keys("a")
	first := m.arming
	m.keys("s", "o", "enter")
	m.Update(armMsg{first})
	m.keys("o", "enter")
	if m.card == nil || decided(m.card.answer()) != "decline read: own: third:" {
		t.Fatal("typed-ahead keys counted")
	}
	m.Update(armMsg{m.arming})
	m.keys("o", "j", "r", "n", "o", "enter")
	if got := decided(m.card.answer()); got != "accept read:once own:no third:" {
		t.Error(got)
	}
	m.keys("enter")
	if m.card != nil || !m.talk.mine["q"] || m.input.Value() != "so" {
		t.Errorf("the card is still there, or what was typed is lost: %q", m.input.Value())
	}
	m.put(batchCard())
	if m.card != nil {
		t.Error("an answered card came back")
	}
}

// TestCardVanishes: another face, or the time, was first.
func TestCardVanishes(t *testing.T) {
	m := chatting(t, 80, 24)
	m.put(batchCard())
	m.put()
	if m.card != nil || m.focus != focusInput || !strings.Contains(m.printedText(), "The question is over") {
		t.Error("the card did not vanish with a word")
	}
}

func TestFormSteps(t *testing.T) {
	low := 1.0
	q := view.Question{ID: "f", Kind: "elicitation", Server: "s", Message: "Which?\n\x1b[2J", Fields: []view.QuestionField{
		{Name: "colour", Title: "Colour", Kind: "choice", Required: true, Default: `"red"`, Options: []view.QuestionOption{{Value: "red", Label: "Red"}, {Value: "blue", Label: "Blue\u202e"}}},
		{Name: "n", Title: "N", Kind: "integer", Minimum: &low}, {Name: "ok", Title: "OK", Kind: "switch", Default: "true"},
		{Name: "more", Title: "More", Kind: "choices", Options: []view.QuestionOption{{Value: "a"}, {Value: "b"}}}, {Name: "note", Title: "Note", Kind: "text"}}}
	f := newForm(q)
	for _, line := range []string{"", "x", "a", "7", "1,2", "2", "4", "maybe", "", "1, 2", "he\"y"} {
		f.put(line)
	}
	answer := f.answer("accept")
	if answer.Content != `{"colour":"blue","n":4,"ok":true,"more":["a","b"],"note":"he\"y"}` || !json.Valid([]byte(answer.Content)) {
		t.Error(answer.Content)
	}
	if newForm(q).put("d") != stepDecline || newForm(q).put("") != stepOn {
		t.Error("an empty line is an answer")
	}
	if text := strings.Join(newForm(q).intro(paint{}, 40), "\n"); strings.Contains(text, "\x1b") || !strings.Contains(text, "Never type passwords") {
		t.Errorf("%q", text)
	}
}

// TestScreenOfAChat fits whatever happens: no line is wider than the terminal, the
// live part leaves room above it, and no control sequence of a stranger is in it.
func TestScreenOfAChat(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 12}, {20, 6}, {200, 60}} {
		m := chatting(t, size[0], size[1])
		check := func(when string) {
			t.Helper()
			text := m.View().Content
			lines := strings.Split(text, "\n")
			if len(lines) >= size[1] || strings.Contains(text, "\x1b") || strings.Contains(text, "\u202e") {
				t.Fatalf("%v %s: %d lines\n%q", size, when, len(lines), text)
			}
			for _, line := range lines {
				if cells(line) > size[0] {
					t.Fatalf("%v %s: %d wide: %q", size, when, cells(line), line)
				}
			}
		}
		m.events(view.ChatEvent{Type: "text", Provisional: true, Text: strings.Repeat("a \x1b[2J word \u202e名前 ", 500)})
		check("streaming")
		m.events(view.ChatEvent{Type: "text", Text: "stored"})
		for _, id := range strings.Split("abcdefghij", "") {
			m.events(view.ChatEvent{Type: "tool_call", ID: id, Server: "s\x1b", Tool: "t", Arguments: `{"a":"` + strings.Repeat("x\u202e", 90) + `"}`},
				view.ChatEvent{Type: "progress", ID: id, Progress: 1, Total: 3, Text: "\x1b[H" + strings.Repeat("far ", 40)})
		}
		check("calls")
		m.talk.queue = []queued{{text: "one\ntwo"}, {text: "three"}, {text: "four"}, {text: "five"}}
		m.talk.servers = []view.Server{{Name: "x", Status: view.StatusStarting, Target: "npx -y\x1b thing"}}
		m.keys("l", "alt+enter", "ctrl+j", "m")
		check("queued")
		m.put(batchCard())
		check("card")
		m.Update(armMsg{m.arming})
		m.keys("j", "j", "a")
		check("card, the last one")
		m.keys("r")
		check("reason")
	}
}

// TestCallsInOrder prints calls of one pass together, in their order, once all
// have ended.
func TestCallsInOrder(t *testing.T) {
	m := chatting(t, 80, 24)
	m.printedText()
	m.events(view.ChatEvent{Type: "tool_call", ID: "a", Server: "s", Tool: "one", Arguments: `{ "x": 1 }`}, view.ChatEvent{Type: "tool_call", ID: "b", Name: "tool_search"})
	m.events(view.ChatEvent{Type: "tool_result", ID: "b", Status: "denied", Content: "no\nwhy"})
	if text := m.printedText(); text != "" {
		t.Errorf("printed before all ended: %q", text)
	}
	m.events(view.ChatEvent{Type: "tool_result", ID: "a", Status: "ok", Content: "fine \x1b[2J\nmore"}, view.ChatEvent{Type: "tool_result", ID: "a", Status: "ok", Content: "twice"})
	cost := 0.0123
	m.events(view.ChatEvent{Type: "done", StopReason: "end", ModelPasses: 2, ToolCalls: 2, Usage: &view.Usage{InputTokens: 12345, OutputTokens: 6, CacheRead: 1000, Cost: &cost}})
	text := m.printedText()
	for _, want := range []string{"2 calls\n✓ #1 s/one {\"x\":1}", "    fine \\x1b[2J …\n✗ #2 tool_search denied", "    no …\n", "12,345 in (1,000 cached) · 6 out · $0.0123"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %q in\n%s", want, text)
		}
	}
	if m.talk.running {
		t.Error("the turn still runs")
	}
}

// TestQueueAndStop: a text of while a turn runs waits; a stop gives it back.
func TestQueueAndStop(t *testing.T) {
	m := chatting(t, 80, 24)
	m.keys("h", "i", "enter", "y", "o", "enter")
	if len(m.talk.queue) != 2 || m.input.Value() != "" {
		t.Fatalf("%v %q", m.talk.queue, m.input.Value())
	}
	m.keys("esc")
	m.events(view.ChatEvent{Type: "done", StopReason: "interrupted"})
	if m.input.Value() != "hi\nyo" || len(m.talk.queue) != 0 || !strings.Contains(m.printedText(), "Stopped.") {
		t.Errorf("%q", m.input.Value())
	}
}

// TestStopBeforeTheSessionIsKnown: a stop that comes while a turn is only asked for
// is asked for as soon as it can be.
func TestStopBeforeTheSessionIsKnown(t *testing.T) {
	m := chatting(t, 80, 24)
	m.talk.running, m.talk.sending = false, true
	m.keys("esc")
	if m.talk.halted {
		t.Fatal("a turn without a session was stopped")
	}
	m.Update(workedMsg{func(k *talk) { k.sent("s", nil) }})
	if !m.talk.halted {
		t.Error("the stop was lost")
	}
}

func TestInterrupts(t *testing.T) {
	m := chatting(t, 80, 24)
	m.talk.running = false
	m.keys("x", "ctrl+c")
	if m.input.Value() != "" || m.talk.leaving {
		t.Error("the first Ctrl-C clears the line")
	}
	for range 8 {
		m.talk.now()
	}
	m.keys("ctrl+c")
	if m.talk.leaving {
		t.Error("a second one much later leaves")
	}
	m.keys("ctrl+c")
	if !m.talk.leaving || !m.interrupted {
		t.Error("a second one at once does not leave")
	}
	m = chatting(t, 80, 24)
	m.keys("x", "ctrl+d")
	if m.talk.leaving {
		t.Error("Ctrl-D leaves with text in the line")
	}
}

func TestHistoryKeys(t *testing.T) {
	m := chatting(t, 80, 24)
	m.keys("n", "e", "w", "up")
	if m.input.Value() != "earlier" {
		t.Errorf("%q", m.input.Value())
	}
	m.keys("up", "down")
	if m.input.Value() != "new" {
		t.Errorf("%q", m.input.Value())
	}
	m.input.SetValue("/he")
	m.keys("tab")
	if m.input.Value() != "/help " {
		t.Errorf("%q", m.input.Value())
	}
	m.input.SetValue("/s")
	m.keys("tab")
	if !strings.Contains(m.hint, "/sessions") || !strings.Contains(m.hint, "/stop") {
		t.Errorf("%q", m.hint)
	}
	m.input.SetValue("/nope")
	m.keys("enter")
	if text := m.printedText(); !strings.Contains(text, "There is no command /nope") || len(m.talk.queue) > 0 {
		t.Errorf("%q", text)
	}
}
