package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guarded is an MCP server that wants a bearer token.
func guarded(t *testing.T, token string) (url string) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	type nothing struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "look"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, nothing, error) {
		return &mcp.CallToolResult{}, nothing{}, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// runs is one command with an input; it gives everything that was printed.
func runs(t *testing.T, home, input string, code int, args ...string) string {
	t.Helper()
	cmd := hermes(t.Context(), home, args...)
	cmd.Stdin = strings.NewReader(input)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit code %d, want %d:\n%s", args, got, code, out)
	}
	return string(out)
}

func noSecret(t *testing.T, secret string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in:\n%s", text)
		}
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	const token = "right-token-0123456789"
	url := guarded(t, token)
	home := filepath.Join(t.TempDir(), "home")
	config, env := filepath.Join(home, "config.yaml"), filepath.Join(home, ".env")
	const rest = "  program: {command: x}\n  grand: {url: https://example.invalid/mcp, auth: oauth}\n"
	plain := "mcp_servers:\n  web: {url: " + url + "}   # mine\n" + rest
	writeFile(t, config, plain)

	if text := runs(t, home, "wrong-token-0123456789\n", 1, "mcp", "login", "web", "--token-stdin"); !strings.Contains(text, "was not stored") {
		t.Errorf("%s", text)
	}
	if text := runs(t, home, "Bearer \n", 1, "mcp", "login", "web", "--token-stdin"); !strings.Contains(text, "Bearer token is required") {
		t.Errorf("%s", text)
	}
	if text := runs(t, home, "", 1, "mcp", "login", "web"); !strings.Contains(text, "--token-stdin") {
		t.Errorf("%s", text)
	}
	runs(t, home, "", 3, "mcp", "login", "nobody", "--token-stdin")
	if text := runs(t, home, token, 1, "mcp", "login", "grand", "--token-stdin"); !strings.Contains(text, "OAuth login, which this version does not have yet") {
		t.Errorf("%s", text)
	}
	runs(t, home, token, 1, "mcp", "login", "program", "--token-stdin")
	if _, err := os.Stat(env); err == nil || readText(t, config) != plain {
		t.Fatal("a failed login left something behind")
	}

	text := runs(t, home, "Bearer "+token+"\n", 0, "mcp", "login", "web", "--token-stdin")
	if !strings.Contains(text, "Authenticated 'web': 1 tool(s); MCP_WEB_API_KEY") {
		t.Errorf("%s", text)
	}
	noSecret(t, token, text, readText(t, config))
	if got := readText(t, env); got != "MCP_WEB_API_KEY="+token+"\n" {
		t.Errorf(".env: %q", got)
	}
	if got := readText(t, config); !strings.Contains(got, "Bearer ${MCP_WEB_API_KEY}") || !strings.Contains(got, "# mine") || !strings.HasSuffix(got, rest) {
		t.Errorf("%s", got)
	}
	before := readText(t, config)
	if text := runs(t, home, "", 0, "mcp", "test", "web"); !strings.Contains(text, "Auth: Authorization: Bearer ${MCP_WEB_API_KEY}") || !strings.Contains(text, "Transport: HTTP → ") {
		t.Errorf("%s", text)
	}
	if text := runs(t, home, "", 1, "mcp", "reauth", "--all"); !strings.Contains(text, "Re-authenticated 0/2 server(s)") {
		t.Errorf("%s", text)
	}
	if text := runs(t, home, token, 0, "mcp", "reauth", "web", "--token-stdin"); !strings.Contains(text, "Re-authenticated 1/1 server(s)") {
		t.Errorf("%s", text)
	}
	runs(t, home, "", 2, "mcp", "reauth")
	runs(t, home, "", 2, "mcp", "reauth", "web", "--all")
	if readText(t, config) != before {
		t.Error("a new token changed the file")
	}
}

func TestTestSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	writeFile(t, filepath.Join(home, "config.yaml"), "mcp_servers:\n  web: {url: "+guarded(t, "x")+", headers: {X-API-Key: literal-secret-value}}\n")
	text := runs(t, home, "", 1, "mcp", "test", "web")
	if !strings.Contains(text, "Auth: X-API-Key: ***") || !strings.Contains(text, "Connection failed (") {
		t.Errorf("%s", text)
	}
	noSecret(t, "literal-secret-value", text)
}

// TestAddTakesTheTokenFromTheEnvironment: nobody is asked, and the token ends in
// .env alone.
func TestAddTakesTheTokenFromTheEnvironment(t *testing.T) {
	const token = "token-of-the-environment-1"
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("MCP_MY_WEB_API_KEY", "Bearer "+token)
	text := runs(t, home, "", 0, "mcp", "add", "my-web", "--url", guarded(t, token), "--tools", "all", "--trust", "full", "--auth", "header")
	config, env := readText(t, filepath.Join(home, "config.yaml")), readText(t, filepath.Join(home, ".env"))
	noSecret(t, token, text, config)
	if !strings.Contains(text, "(1/1 tools enabled)") || !strings.Contains(config, "Bearer ${MCP_MY_WEB_API_KEY}") || env != "MCP_MY_WEB_API_KEY="+token+"\n" {
		t.Errorf("%s\n%s\n%s", text, config, env)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
