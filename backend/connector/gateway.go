package connector

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultLookup  = 20 * time.Second
	defaultExecute = 2 * time.Minute
	maxRedirects   = 3
)

// Options configure a gateway.
type Options struct {
	// URL is the address before the paths of the protocol, http or https.
	URL string
	// Token is sent to the host of URL and to no other; empty sends none.
	Token string
	// Client is copied; its redirect rule is replaced. Nil uses an own one.
	Client *http.Client
	Logger *slog.Logger
	// Lookup bounds a search or a list, Execute a call, from the first byte sent to
	// the last received; 0 is 20 seconds and 2 minutes.
	Lookup, Execute time.Duration
}

// Gateway speaks to one connectors gateway. It is safe for concurrent use and
// repeats no request: a call may have happened although no answer came.
type Gateway struct {
	base            *url.URL
	token           string
	client          *http.Client
	lookup, execute time.Duration
}

// New gives the gateway at an address. It sends nothing.
func New(o Options) (*Gateway, error) {
	base, err := url.Parse(strings.TrimSpace(o.URL))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, errors.New("connectors.url is not an http or https address")
	case base.User != nil:
		return nil, errors.New("connectors.url holds a user name or password; put the key into connectors.token as ${VAR}")
	case strings.ContainsAny(o.Token, "\r\n"):
		return nil, errors.New("connectors.token holds a line end")
	}
	base.Fragment = ""
	g := &Gateway{base: base, token: o.Token, lookup: orDefault(o.Lookup, defaultLookup), execute: orDefault(o.Execute, defaultExecute)}
	if base.Scheme == "http" && o.Token != "" && !isLoopback(base.Hostname()) && o.Logger != nil {
		o.Logger.Warn("the connectors token travels unencrypted: connectors.url is http", "host", base.Host)
	}
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = checkRedirect
	client.Jar = nil
	g.client = &client
	return g, nil
}

func orDefault(d, standard time.Duration) time.Duration {
	if d <= 0 {
		return standard
	}
	return d
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var errRedirect = errors.New("redirect refused")

// checkRedirect follows only a redirect that keeps method, body and origin: the
// token and the arguments go to the configured host and to no other.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return errRedirect
	}
	if req.Method != via[0].Method || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// Close lets go of idle connections.
func (g *Gateway) Close() { g.client.CloseIdleConnections() }

// Tool is a hosted tool as the gateway describes it. Its texts are the gateway's
// own, neither cleaned nor bounded; Parameters may be empty in a search.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Required    []string        `json:"required,omitempty"`
}

// Search asks for the tools that fit each query, at most limit for one. The answer
// has one list for each query, in their order.
func (g *Gateway) Search(ctx context.Context, queries []string, limit int) ([][]Tool, error) {
	var answer struct {
		Results *[]struct {
			Tools []Tool `json:"tools"`
		} `json:"results"`
	}
	asked := struct {
		Queries []string `json:"queries"`
		Limit   int      `json:"limit"`
	}{queries, limit}
	if failed := g.look(ctx, "search", asked, &answer); failed != nil {
		return nil, failed
	}
	if answer.Results == nil || len(*answer.Results) != len(queries) {
		return nil, g.malformed("it does not hold one result for each query")
	}
	out := make([][]Tool, len(queries))
	for i, result := range *answer.Results {
		out[i] = result.Tools[:min(len(result.Tools), limit)]
	}
	return out, nil
}

// List describes tools by name; those the gateway does not know are left out, and
// so is what was not asked for.
func (g *Gateway) List(ctx context.Context, names []string) ([]Tool, error) {
	var answer struct {
		Tools *[]Tool `json:"tools"`
	}
	asked := struct {
		Names []string `json:"names"`
	}{names}
	if failed := g.look(ctx, "list", asked, &answer); failed != nil {
		return nil, failed
	}
	if answer.Tools == nil {
		return nil, g.malformed("it holds no list of tools")
	}
	byName := map[string]Tool{}
	for _, tool := range *answer.Tools {
		byName[tool.Name] = tool
	}
	var out []Tool
	for _, name := range names {
		if tool, ok := byName[name]; ok {
			out = append(out, tool)
		}
	}
	return out, nil
}
