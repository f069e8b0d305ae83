package gateway

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestListenersStayKnown: a client of the newest era that only listens is not
// among the library's sessions. A look must not forget which list it knows, or a
// late notification tells it of one difference twice; what it knew of an older
// list is forgotten.
func TestListenersStayKnown(t *testing.T) {
	listens, older := &mcp.ServerSession{}, &mcp.ServerSession{}
	s := &Server{server: mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil), known: map[*mcp.ServerSession]int{}}
	s.note(older)
	s.revision = 2
	if !s.note(listens) {
		t.Fatal("the first notification was kept back")
	}
	s.forget()
	if s.note(listens) {
		t.Error("it would be told of one difference twice")
	}
	if _, kept := s.known[older]; kept || len(s.known) != 1 {
		t.Errorf("%d clients are remembered, want the one that knows this list", len(s.known))
	}
}
