package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstModern is the first revision of the protocol without a handshake.
const firstModern = "2026-07-28"

// Members of a result. The type and the server's name in _meta belong to the
// connection and not to the tool: each hop says them anew.
const (
	memberType       = "resultType"
	memberMeta       = "_meta"
	memberContent    = "content"
	memberStructured = "structuredContent"
	memberIsError    = "isError"
)

// forwarded is a called server's own result on its way to the client. The SDK's
// type would round big numbers, reorder and drop what it does not know, so it
// is only what the SDK handles; what is written are the server's bytes.
type forwarded struct {
	*mcp.CallToolResult
	members []member
	isError bool
	modern  bool
}

// member is one member of a JSON object, in its place.
type member struct {
	name  string
	value json.RawMessage
}

// MarshalJSON writes the server's members in the server's order, the members of
// the connection as this one needs them.
func (f *forwarded) MarshalJSON() ([]byte, error) {
	meta, err := f.meta()
	if err != nil {
		return nil, err
	}
	own := map[string]json.RawMessage{memberMeta: meta, memberType: nil}
	if f.modern {
		own[memberType] = json.RawMessage(`"complete"`)
	}
	if f.isError {
		own[memberIsError] = json.RawMessage(`true`)
	}
	var out bytes.Buffer
	out.WriteByte('{')
	write := func(name string, value json.RawMessage) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		// A name that was decoded is encoded again; it cannot fail.
		key, _ := json.Marshal(name)
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	content := false
	for _, m := range f.members {
		content = content || m.name == memberContent
		if value, ours := own[m.name]; ours {
			delete(own, m.name)
			if value == nil {
				continue
			}
			m.value = value
		}
		write(m.name, m.value)
	}
	if !content {
		write(memberContent, json.RawMessage(`[]`))
	}
	for _, name := range []string{memberIsError, memberType, memberMeta} {
		if value := own[name]; value != nil {
			write(name, value)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// meta is the server's _meta with what the SDK has set beside it: in the newest
// protocol every server names itself there, and the client's server is us.
func (f *forwarded) meta() (json.RawMessage, error) {
	var raw json.RawMessage
	for _, m := range f.members {
		if m.name == memberMeta {
			raw = m.value
		}
	}
	set := f.GetMeta()
	if len(set) == 0 {
		return raw, nil
	}
	members, err := membersOf(raw)
	if err != nil {
		members = nil
	}
	for name, value := range set {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		members = put(members, member{name, text})
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		key, _ := json.Marshal(m.name)
		out.Write(key)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func put(members []member, fresh member) []member {
	for i := range members {
		if members[i].name == fresh.name {
			members[i] = fresh
			return members
		}
	}
	return append(members, fresh)
}

// membersOf splits a JSON object and keeps every value's bytes.
func membersOf(raw json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("this is not a JSON object")
	}
	var members []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		members = put(members, member{name, value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the object")
	}
	return members, nil
}

// validText puts U+FFFD for each byte that is no UTF-8, as decoding would: JSON
// is UTF-8 (RFC 8259 section 8.1), and strict clients end over anything else.
// All other bytes stay.
func validText(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) {
		return raw
	}
	out := make(json.RawMessage, 0, len(raw)+2*utf8.UTFMax)
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			out = utf8.AppendRune(out, utf8.RuneError)
		} else {
			out = append(out, raw[:size]...)
		}
		raw = raw[size:]
	}
	return out
}

// readable tells whether a result can be handed on as a tool's: an object whose
// content is a list, and that does not ask for more input, which a client of the
// gateway is not given (FILTER section 2). The result of a helper has other
// members and is not.
func readable(members []member) bool {
	holds := false
	for _, m := range members {
		switch m.name {
		case memberContent:
			if len(m.value) == 0 || m.value[0] != '[' {
				return false
			}
			holds = true
		case memberStructured:
			holds = true
		case memberMeta:
			if len(m.value) == 0 || m.value[0] != '{' {
				return false
			}
		case memberType:
			if string(m.value) != `"complete"` {
				return false
			}
		}
	}
	return holds
}

type resultKey struct{}

// forward hands on the result that the tool's handler left in the context. It
// stands outside the SDK's own handling, which knows its own type alone.
func (s *Server) forward(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		var members []member
		answer, err := next(context.WithValue(ctx, resultKey{}, &members), method, req)
		decoded, ok := answer.(*mcp.CallToolResult)
		if err != nil || !ok || decoded == nil || members == nil {
			return answer, err
		}
		return &forwarded{CallToolResult: decoded, members: members, isError: decoded.IsError, modern: isModern(req.GetSession())}, nil
	}
}

// isModern tells whether a session speaks a revision without a handshake.
func isModern(session mcp.Session) bool {
	server, ok := session.(*mcp.ServerSession)
	if !ok {
		return false
	}
	params := server.InitializeParams()
	return params != nil && params.ProtocolVersion >= firstModern
}

// answer turns a result into the SDK's; what the server sent goes beside it
// through the context.
func answer(ctx context.Context, r Result) *mcp.CallToolResult {
	members, err := membersOf(validText(r.Raw))
	place, ok := ctx.Value(resultKey{}).(*[]member)
	if !ok || err != nil || !readable(members) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, IsError: r.IsError}
	}
	*place = append(make([]member, 0, len(members)), members...)
	return &mcp.CallToolResult{IsError: r.IsError}
}
