package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"hermes/backend/view"
)

// bodyLimit bounds the body of a request, in bytes. The longest honest one is a
// chat message.
const bodyLimit = 1 << 20

// method runs one method on its arguments as they came. Nothing is found by
// reflection: what is not in the table cannot be called.
type method func(args []json.RawMessage) (any, error)

// errUsage marks a request that does not fit the method's signature.
var errUsage = errors.New("usage")

// methods is the whole table of what the page may call.
func methods(o Options) map[string]method {
	return map[string]method{
		"Overview":     none(o.Facts.Overview),
		"Servers":      none(o.Facts.Servers),
		"Server":       one(o.Facts.Server),
		"Why":          two(o.Facts.Why),
		"Findings":     none(o.Facts.Findings),
		"Arrival":      none(o.Facts.Arrival),
		"SetTool":      edit(o.Edits.SetTool, "server", "tool", "on"),
		"Lock":         edit(o.Edits.Lock, "server"),
		"Open":         edit(o.Edits.Open, "server"),
		"Restore":      edit(o.Edits.Restore, "server"),
		"Select":       edit(o.Edits.Select, "server"),
		"Catalog":      none(o.Catalogue.Catalog),
		"InstallPlan":  one(o.Catalogue.InstallPlan),
		"InstallEntry": one(o.Catalogue.InstallEntry),
		"Start":        none(func() (any, error) { return nil, o.Life.Start() }),
		"Look":         one(o.Life.Look),
		"Retry":        one(func(server string) (any, error) { return nil, o.Running.Retry(server) }),
		"Measure":      one(o.Running.Measure),
		"ReloadNow":    none(o.Running.ReloadNow),
		"Glance":       none(func() (any, error) { return nil, o.Running.Glance() }),
		"Changes":      none(o.Definitions.Changes),
		"AcceptChanges": one(func(wish view.AcceptChanges) (any, error) {
			if wish.Server == "" || wish.Now == nil {
				return nil, fmt.Errorf("%w: \"server\" or \"now\" is missing", errUsage)
			}
			return o.Definitions.AcceptChanges(wish)
		}),
		"UseHome":        none(o.Life.UseHome),
		"Report":         one(func(r view.PageReport) (any, error) { return nil, o.Life.Report(r) }),
		"ChatSend":       two(o.Chat.ChatSend),
		"ChatStop":       one(func(session string) (any, error) { return nil, o.Chat.ChatStop(session) }),
		"Questions":      none(o.Chat.Questions),
		"AnswerQuestion": one(o.Chat.AnswerQuestion),
		"Sessions":       none(o.Chat.Sessions),
		"Transcript":     one(o.Chat.Transcript),
		"SearchPast":     one(o.Kept.SearchPast),
		"ForgetSession": one(func(session string) (any, error) {
			if session == "" {
				return nil, fmt.Errorf("%w: the session is missing", errUsage)
			}
			return nil, o.Kept.ForgetSession(session)
		}),
		"SessionFile": one(o.Kept.SessionFile),
		"Grants":      none(o.Kept.Grants),
		"Hooks":       none(o.Hooks.Hooks),
		"HookLook":    one(o.Hooks.HookLook),
		"TrustSeen":   one(o.Hooks.TrustSeen),
		"ForgetHook":  one(o.Hooks.ForgetHook),
		"RevokeGrant": one(o.Kept.RevokeGrant),
	}
}

func none[R any](f func() (R, error)) method {
	return func(args []json.RawMessage) (any, error) {
		if err := count(args, 0); err != nil {
			return nil, err
		}
		return f()
	}
}

func one[A, R any](f func(A) (R, error)) method {
	return func(args []json.RawMessage) (any, error) {
		if err := count(args, 1); err != nil {
			return nil, err
		}
		var a A
		if err := decode(args[0], &a); err != nil {
			return nil, err
		}
		return f(a)
	}
}

// edit is one for a change of the file: it has to say of which revision, and
// everything that decides. What is left out must not pass for "off" or for "the
// file as it may be by now".
func edit[A, R any](f func(A) (R, error), required ...string) method {
	run := one(f)
	return func(args []json.RawMessage) (any, error) {
		if err := count(args, 1); err != nil {
			return nil, err
		}
		var given map[string]json.RawMessage
		if err := json.Unmarshal(args[0], &given); err != nil {
			return nil, fmt.Errorf("%w: %w", errUsage, err)
		}
		for _, name := range append(required, "revision") {
			if value := string(given[name]); value == "" || value == "null" || value == `""` {
				return nil, fmt.Errorf("%w: %q is missing", errUsage, name)
			}
		}
		return run(args)
	}
}

func two[A, B, R any](f func(A, B) (R, error)) method {
	return func(args []json.RawMessage) (any, error) {
		if err := count(args, 2); err != nil {
			return nil, err
		}
		var a A
		var b B
		if err := decode(args[0], &a); err != nil {
			return nil, err
		}
		if err := decode(args[1], &b); err != nil {
			return nil, err
		}
		return f(a, b)
	}
}

func count(args []json.RawMessage, want int) error {
	if len(args) != want {
		return fmt.Errorf("%w: %d arguments are needed, %d came", errUsage, want, len(args))
	}
	return nil
}

// decode refuses null and unknown fields: an edit whose `on` is misspelt must
// not arrive as "off".
func decode(raw json.RawMessage, into any) error {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return fmt.Errorf("%w: an argument is null", errUsage)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return nil
}

// handleCall serves POST /api/call/<Method>: a JSON array of arguments in, the
// result as JSON out.
func (s *Server) handleCall(w http.ResponseWriter, r *http.Request) {
	run, ok := s.methods[r.PathValue("method")]
	if !ok {
		refuse(w, http.StatusNotFound, "there is no such method", "")
		return
	}
	var args []json.RawMessage
	if !readJSON(w, r, &args) {
		return
	}
	// The body is read; from here a slow method must not look like a slow client.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	result, err := s.guarded(r.PathValue("method"), run, args)
	if err == nil {
		writeJSON(w, http.StatusOK, result)
		return
	}
	if errors.Is(err, errUsage) {
		refuse(w, http.StatusBadRequest, "the call does not fit the method ("+err.Error()+")", "")
		return
	}
	e := s.options.Fail(err)
	writeError(w, statusOf(e.Code), e)
}

// guarded turns a panic of one method into that call's own failure: the other
// windows of the page go on. The arguments stay out of the log.
func (s *Server) guarded(name string, run method, args []json.RawMessage) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.Error("method panicked", "method", name, "panic", fmt.Sprint(p))
			err = fmt.Errorf("%s failed inside the program; its log says more", name)
		}
	}()
	return run(args)
}

// readJSON reads a bounded body of exactly one JSON value, or answers why not.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the body must be application/json", "")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", bodyLimit), "")
			return false
		}
		refuse(w, http.StatusBadRequest, "the body did not arrive whole", "")
		return false
	}
	if err := json.Unmarshal(body, into); err != nil {
		refuse(w, http.StatusBadRequest, "the body is not the JSON that is needed here", "")
		return false
	}
	return true
}
