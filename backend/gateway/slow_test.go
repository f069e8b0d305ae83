package gateway

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSlowBody: who has the token and does not send what was announced gets an
// answer when the time is over, and a stream that was open before lives on.
func TestSlowBody(t *testing.T) {
	o := &offer{}
	o.set("a")
	s := quiet(o)
	r := listen(t, s, HTTPOptions{BodyWait: 50 * time.Millisecond})
	changed := make(chan struct{}, 8)
	for _, version := range []string{"", "2025-11-25"} {
		session := r.client(version, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, length := range map[string]string{"announced": "Content-Length: 500", "in pieces": "Transfer-Encoding: chunked"} {
		conn, err := net.Dial("tcp", r.http.bound.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\n\r\n", Path, r.http.bound, testToken, length)
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: no answer: %v", name, err)
		}
		if answer.Body.Close(); answer.StatusCode != http.StatusRequestTimeout || !answer.Close {
			t.Errorf("%s: status %d, closes %v", name, answer.StatusCode, answer.Close)
		}
	}
	o.set("a", "b")
	s.Update()
	for range 2 {
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("a stream ended")
		case <-time.After(20 * time.Second):
			t.Fatal("a stream ended with the time for a message")
		}
	}
}
