package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hermes/backend/message"
)

// aimockPeer is a vendor as the scripted model server imitates it. It re-parses
// arguments and regroups thinking, so bytes are not its matter.
type aimockPeer struct {
	name, model string
	provider    Provider
}

func aimockPeers(t *testing.T, base string) []aimockPeer {
	client := func() *http.Client { return &http.Client{Transport: &http.Transport{}} }
	openAI := NewOpenAI(Options{BaseURL: base + "/v1", Key: "k-1234", Client: client()})
	anthropic := NewAnthropic(Options{BaseURL: base, Key: "k-1234", CacheTTL: "1h", Client: client()})
	bedrock := NewBedrock(BedrockOptions{BaseURL: base, Variable: awsVariables(), CacheTTL: "5m", Client: client()})
	t.Cleanup(func() { _, _, _ = openAI.Close(), anthropic.Close(), bedrock.Close() })
	return []aimockPeer{
		{NameOpenAI, "gpt-test", openAI},
		{NameAnthropic, "claude-sonnet-4-5", anthropic},
		{NameBedrock, novaID, bedrock},
	}
}

func testBehaviour(t *testing.T, peer aimockPeer) {
	ctx := context.Background()
	question := func(s string) Request {
		r := ask(s)
		r.Model = peer.model
		r.Tools = []message.ToolDef{{Name: "mcp__git__log", Description: "Log.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
		return r
	}
	t.Run("streaming", func(t *testing.T) {
		pieces, shown := 0, ""
		turn, err := peer.provider.Stream(ctx, question("hello"), func(s string) { pieces++; shown += s })
		if err != nil || turn.Content != "Grüße aus der Ferne — 你好, done." || shown != turn.Content || pieces < 3 {
			t.Fatalf("turn %+v, %d pieces, error %v", turn, pieces, err)
		}
		if turn.Stop != message.StopEnd {
			t.Errorf("stop %q", turn.Stop)
		}
	})
	t.Run("parallel calls and their results", func(t *testing.T) {
		req := question("two calls")
		turn, err := peer.provider.Stream(ctx, req, nil)
		if err != nil || len(turn.ToolCalls) != 2 || turn.Stop != message.StopToolCalls || turn.Content != "I do both." {
			t.Fatalf("turn %+v, error %v", turn, err)
		}
		if c := turn.ToolCalls[1]; c.ID != "call_b" || c.Name != "mcp__git__log" || !strings.Contains(c.Arguments, "Grüße <b>&") {
			t.Errorf("call %+v", c)
		}
		answered(t, peer, req, turn, "Both are done.")
	})
	t.Run("thinking goes back", func(t *testing.T) {
		req := question("think first")
		turn, err := peer.provider.Stream(ctx, req, nil)
		if err != nil || len(turn.ToolCalls) != 1 || strings.Contains(turn.Content, "thing") {
			t.Fatalf("turn %+v, error %v", turn, err)
		}
		// Its journal holds what it understood, not what it was sent: the wire is
		// the matter of TestConformanceOfBlocks.
		got := fmt.Sprintf("%s", turn.Blocks)
		for _, want := range map[string][]string{
			NameOpenAI:    {`"reasoning_content":"One <thing> is wanted."`},
			NameAnthropic: {`{"type":"redacted_thinking","data":"cmVk"}`, `"thinking":"One <thing> is wanted."`, `"signature":"c2ln+/=="`},
			NameBedrock:   {`One <thing> is wanted.`},
		}[peer.name] {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not in %s", want, got)
			}
		}
		answered(t, peer, req, turn, "Looked.")
	})
	t.Run("overload with Retry-After", func(t *testing.T) {
		turn, err := peer.provider.Stream(ctx, question("busy "+strings.ToUpper(peer.name)), nil)
		if err != nil || turn.Content != "Not so busy." {
			t.Fatalf("turn %+v, error %v", turn, err)
		}
	})
	for _, way := range []string{"cut me", "hang up"} {
		t.Run(way, func(t *testing.T) {
			turn, err := peer.provider.Stream(ctx, question(way), nil)
			if !errors.Is(err, ErrCut) || turn.Content != "" || turn.Blocks != nil {
				t.Fatalf("turn %+v, error %v", turn, err)
			}
		})
	}
}

// answered sends the results of all calls and wants the next answer.
func answered(t *testing.T, peer aimockPeer, req Request, turn Turn, want string) {
	t.Helper()
	req.Messages = append(req.Messages, message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks})
	for _, c := range turn.ToolCalls {
		req.Messages = append(req.Messages, message.Message{Role: message.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Status: message.StatusOK, Content: "done"})
	}
	next, err := peer.provider.Stream(context.Background(), req, nil)
	if err != nil || next.Content != want {
		t.Errorf("turn %+v, error %v", next, err)
	}
}
