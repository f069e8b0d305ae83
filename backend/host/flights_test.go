package host

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/agent"
	"hermes/backend/config"
	"hermes/backend/gateway"
	"hermes/backend/message"
	"hermes/backend/policy"
)

// slowPeer is a server whose tool `wait` runs until it is cancelled or let go.
type slowPeer struct {
	url            string
	began, cancels chan struct{}
	release        chan struct{}
	letGo          func()
}

func newSlowPeer(t *testing.T) *slowPeer {
	t.Helper()
	p := &slowPeer{began: make(chan struct{}, 8), cancels: make(chan struct{}, 8), release: make(chan struct{})}
	server := sdk.NewServer(&sdk.Implementation{Name: "slow", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		p.began <- struct{}{}
		select {
		case <-p.release:
		case <-ctx.Done():
			p.cancels <- struct{}{}
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "let go"}}}, nil
	})
	peer := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() {
		// A handler that nobody told of the end would keep the server open.
		p.letGo()
		peer.CloseClientConnections()
		peer.Close()
		// A goodbye that was cut off leaves its session behind.
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	p.letGo = sync.OnceFunc(func() { close(p.release) })
	p.url = peer.URL
	return p
}

// hostOf is a host that is connected to it.
func (p *slowPeer) hostOf(t *testing.T, setting string) *Host {
	t.Helper()
	h, _ := following(t, "mcp:\n  locked_calls: "+setting+"\nmcp_servers:\n  slow:\n    url: "+p.url+"\n")
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if missing := h.Wait(t.Context()); len(missing) > 0 {
		t.Fatalf("%+v", h.Status("slow"))
	}
	h.refresh()
	return h
}

// TestLockedWhileItRuns locks the tool of a running call in every way: where the
// file asks for it the call is cancelled at the server and answered so, otherwise
// it finishes.
func TestLockedWhileItRuns(t *testing.T) {
	lock := func(action policy.Action, tool string) func(h *Host) error {
		return func(h *Host) error {
			_, err := h.Apply(context.Background(), config.Edit{Server: "slow", Intent: policy.Intent{Action: action, Tool: tool}})
			return err
		}
	}
	edit := func(from, to string) func(h *Host) error {
		return func(h *Host) error {
			text := strings.Replace(textOf(h), from, to, 1)
			err := writeText(h, text)
			h.Reload()
			return err
		}
	}
	for name, how := range map[string]func(h *Host) error{
		"tool off":    lock(policy.ActionOff, "wait"),
		"lock":        lock(policy.ActionLock, ""),
		"disabled":    edit("    url", "    enabled: false\n    url"),
		"removed":     edit("  slow:", "  other:"),
		"restriction": edit("mcp:\n", "mcp:\n  client: false\n"),
	} {
		t.Run(name, func(t *testing.T) {
			p := newSlowPeer(t)
			h := p.hostOf(t, "cancel")
			result := callWait(h)
			<-p.began
			if err := how(h); err != nil {
				t.Fatal(err)
			}
			r := <-result
			if r.Status != message.StatusUnknown || !strings.HasPrefix(r.Content, "cancelled: the tool was locked while it ran") {
				t.Errorf("%+v", r)
			}
			if name != "tool off" {
				return // the session ends with its server
			}
			select {
			case <-p.cancels:
			case <-time.After(20 * time.Second):
				t.Error("the server was not told")
			}
		})
	}
	t.Run("finish", func(t *testing.T) {
		p := newSlowPeer(t)
		h := p.hostOf(t, "finish")
		result := callWait(h)
		<-p.began
		if err := lock(policy.ActionOff, "wait")(h); err != nil {
			t.Fatal(err)
		}
		p.letGo()
		if r := <-result; r.Status != message.StatusOK || r.Content != "let go" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("another tool", func(t *testing.T) {
		p := newSlowPeer(t)
		h := p.hostOf(t, "cancel")
		result := callWait(h)
		<-p.began
		if err := lock(policy.ActionOff, "other")(h); err != nil {
			t.Fatal(err)
		}
		p.letGo()
		if r := <-result; r.Status != message.StatusOK {
			t.Errorf("%+v", r)
		}
	})
	t.Run("gateway", func(t *testing.T) {
		p := newSlowPeer(t)
		h := p.hostOf(t, "cancel")
		result := make(chan gateway.Result, 1)
		go func() {
			result <- h.GatewayTools().Call(context.Background(), "mcp__slow__wait", nil, nil)
		}()
		<-p.began
		if err := lock(policy.ActionLock, "")(h); err != nil {
			t.Fatal(err)
		}
		if r := <-result; !r.IsError || !strings.HasPrefix(r.Text, "cancelled: the tool was locked while it ran") {
			t.Errorf("%+v", r)
		}
	})
}

// callWait calls the tool as the agent does.
func callWait(h *Host) chan agent.Result {
	result := make(chan agent.Result, 1)
	door := &tools{host: h}
	target, denial := door.find("mcp__slow__wait", "{}")
	if denial != nil {
		result <- agent.Result{Content: denial.Reason}
		return result
	}
	go func() { result <- door.Run(context.Background(), target, nil) }()
	return result
}

// TestReloadNow forces a reload: the edit counts at once, what is healthy goes on,
// and what failed is tried again and waited for.
func TestReloadNow(t *testing.T) {
	p := newSlowPeer(t)
	h := p.hostOf(t, "finish")
	since := h.Status("slow").Since
	if err := writeText(h, textOf(h)+"  bad: {command: "+filepath.Join(t.TempDir(), "no-such-program")+"}\n"); err != nil {
		t.Fatal(err)
	}
	got, err := h.ReloadNow(t.Context())
	if err != nil || strings.Join(got.Changed, " ") != "bad" || got.Servers != 1 || got.Tools != 1 || got.Revision != h.Snapshot().Revision {
		t.Errorf("%+v, %v", got, err)
	}
	h.Wait(t.Context())
	got, err = h.ReloadNow(t.Context())
	if err != nil || len(got.Changed) != 0 || strings.Join(got.Retried, " ") != "bad" {
		t.Errorf("%+v, %v", got, err)
	}
	if now := h.Status("slow").Since; !now.Equal(since) {
		t.Error("a healthy server was started again")
	}
	if err := writeText(h, textOf(h)+"x: [\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReloadNow(t.Context()); err == nil || !offered(h, "mcp__slow__wait") {
		t.Errorf("a broken file: %v", err)
	}
}

// TestCommentRestartsNothing changes a comment: a new revision is published, and
// nothing else happens.
func TestCommentRestartsNothing(t *testing.T) {
	p := newSlowPeer(t)
	h := p.hostOf(t, "finish")
	before, since := h.Snapshot().Revision, h.Status("slow").Since
	listed := bytesOf(t, h.Catalog().ModelTools((&tools{host: h}).options()))
	signals := h.Subscribe(t.Context())
	if err := writeText(h, "# a comment\n"+textOf(h)); err != nil {
		t.Fatal(err)
	}
	h.Reload()
	s := <-signals
	for s.Topic == TopicServers {
		// The last word of the server that had just been connected.
		s = <-signals
	}
	if s.Topic != TopicConfig || s.Revision == before {
		t.Errorf("%+v", s)
	}
	if now := h.Status("slow").Since; !now.Equal(since) || listed != bytesOf(t, h.Catalog().ModelTools((&tools{host: h}).options())) {
		t.Error("a comment started the server again or changed its tools")
	}
}
