package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/view"
)

// TestAsideIsSaidOnceEach: what is told beside the conversation is said by the chat,
// and the same problem in the overview is no second banner, whichever came first.
func TestAsideIsSaidOnceEach(t *testing.T) {
	var rest bytes.Buffer
	m := chatting(t, 80, 24)
	m.talk.beside = NewAside(&rest)
	broken := view.Problem{Severity: view.SeverityError, Code: "file.broken", Message: "no end of the list", File: "config.yaml", Line: 1}
	repaired := view.Problem{Code: codeRepaired, Message: "it can be read again"}
	says := func(when, words string, times int) {
		t.Helper()
		m.Update(asideMsg{})
		if text := m.printedText(); strings.Count(text, words) != times {
			t.Errorf("%s: %q %d times in\n%s", when, words, strings.Count(text, words), text)
		}
	}
	m.printedText()
	for range 2 {
		m.talk.beside.Notice(broken)
		m.Update(workedMsg{func(k *talk) { k.notices([]view.Problem{broken}) }})
		says("a notice and the overview", "no end of the list", 1)
		m.talk.beside.Notice(repaired)
		says("the end", "can be read again", 1)
	}
	m.Update(workedMsg{func(k *talk) { k.notices([]view.Problem{broken}) }})
	m.talk.beside.Notice(broken)
	says("the overview first", "no end of the list", 1)
	fmt.Fprintf(m.talk.beside, "level=INFO msg=\x1b[2Jone\nlevel=INFO msg=two\n")
	says("the log", `\x1b[2Jone`, 1)
	fmt.Fprintln(m.talk.beside, "level=INFO msg=late")
	m.talk.beside.End()
	fmt.Fprintln(m.talk.beside, "level=INFO msg=after")
	if rest.String() != "level=INFO msg=late\nlevel=INFO msg=after\n" || m.talk.beside.Notice(broken) {
		t.Errorf("after the chat: %q", rest.String())
	}
}

// TestStoppingGoes: the hint leaves with the turn, not with the next key.
func TestStoppingGoes(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		m := chatting(t, 80, 24)
		m.keys(key)
		if !strings.Contains(m.View().Content, "stopping") {
			t.Errorf("%s: not said", key)
		}
		m.events(view.ChatEvent{Type: "done", StopReason: "interrupted"})
		if text := m.View().Content; strings.Contains(text, "stopping") {
			t.Errorf("%s: still said:\n%s", key, text)
		}
	}
}

// TestCardOnASmallScreen: until when, and how to answer, are there at any size.
func TestCardOnASmallScreen(t *testing.T) {
	q := batchCard()
	for _, size := range [][2]int{{40, 20}, {40, 10}, {80, 24}, {30, 8}} {
		m := chatting(t, size[0], size[1])
		m.put(q)
		m.Update(armMsg{m.arming})
		for range q.Calls {
			text := m.View().Content
			for _, want := range []string{"denied at " + deadline(q.Expires), "ENTER answer", "ESC deny all", "> ["} {
				if !strings.Contains(text, want) {
					t.Errorf("%v: no %q in\n%s", size, want, text)
				}
			}
			m.keys("j")
		}
	}
}

// TestCardReadsAllArguments: the card shows both ends and the true size; v pages
// through all, and no key there answers.
func TestCardReadsAllArguments(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `"k%04d":1,`, i)
	}
	arguments := "{" + b.String() + `"last":2}`
	q := view.Question{ID: "q", Kind: "calls", Calls: []view.QuestionCall{{Call: "c", Server: "s", Tool: "t", Arguments: arguments, Scopes: []string{"once"}}}}
	m := chatting(t, 60, 24)
	m.put(q)
	m.Update(armMsg{m.arming})
	text := m.View().Content
	for _, want := range []string{`"k0000"`, `"last": 2`, fmt.Sprintf("%d bytes", len(arguments))} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	m.keys("v")
	seen := map[string]bool{}
	for i := 0; i < 3002 && !seen[`"last": 2`]; i++ {
		for line := range strings.SplitSeq(m.View().Content, "\n") {
			seen[strings.TrimRight(strings.TrimSpace(line), ",")] = true
		}
		m.keys("f")
	}
	for i := range 3000 {
		if !seen[fmt.Sprintf(`"k%04d": 1`, i)] {
			t.Fatalf("line %d was on no page", i)
		}
	}
	m.keys("o", "enter", "a", "esc")
	if m.card == nil || m.card.read != nil || decided(m.card.answer()) != "decline c:" {
		t.Error("a key answered while the arguments were read")
	}
}

// TestEmojiStayWhole: a joiner between two emoji makes one picture; anywhere else it
// is shown.
func TestEmojiStayWhole(t *testing.T) {
	for text, want := range map[string]string{
		"👩‍👩‍👧 ok":  "👩‍👩‍👧 ok",
		"❤️‍🔥 👩🏽‍🔬": "❤️‍🔥 👩🏽‍🔬",
		"pay‍pal":   `pay\u200dpal`,
		"👩‍x":       `👩\u200dx`,
		"‍👩":        `\u200d👩`,
		"👩‍‍👧":      `👩\u200d\u200d👧`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := prose(text); got != strings.ReplaceAll(want, `\u200d`, "") {
			t.Errorf("prose %q: %q", text, got)
		}
	}
}

// TestWelcomeOfABrokenFile does not ask for a model in a file that cannot be read.
func TestWelcomeOfABrokenFile(t *testing.T) {
	m := chatting(t, 80, 24)
	m.printedText()
	broken := view.Problem{Severity: view.SeverityError, Code: "file.broken", Message: "no end of the list", File: "config.yaml", Line: 1}
	m.Update(workedMsg{func(k *talk) {
		k.welcome(view.Overview{ModelProblem: "no model can be used: no provider is named and no key is set", Notices: []view.Problem{broken}}, false)
	}})
	text := m.printedText()
	if strings.Contains(text, "no key is set") || strings.Contains(text, "OPENAI_API_KEY") || !strings.Contains(text, "No model answers as long as") || !strings.Contains(text, "no end of the list") {
		t.Error(text)
	}
}
