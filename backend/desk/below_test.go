package desk

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"

	"hermes/backend/mcp"
	"hermes/backend/view"
)

// What a method may do in a program that one of our servers or hooks started.
const (
	// belowNever: only a person may.
	belowNever = "never"
	// belowRest: not while an agent is at work on the home or something waits there.
	belowRest = "rest"
	// belowReads: it starts nothing, widens nothing and answers for nobody.
	belowReads = "reads"
)

// belowMethods decides about every method: a new one has to be added here.
func belowMethods() map[string]string {
	out := map[string]string{}
	for may, names := range map[string][]string{
		belowNever: {"AcceptChanges", "AnswerQuestion", "ConfigSet", "ConfigUnset", "DeleteSession", "Doomed", "Draft", "Enable", "Export",
			"ForgetHook", "ForgetSession", "Import", "Install", "InstallEntry", "Lock", "Login", "MayServe", "Open", "OpenDraft", "Remove",
			"Restore", "RevokeGrant", "RevokeHook", "SaveDraft", "SaveSession", "Select", "SetTool", "TestHook", "TrustHook", "TrustSeen"},
		belowRest: {"Ask", "AskReload", "ChatSend", "Gateway", "GatewayHTTP", "Look", "LookContext", "ReloadNow", "Retry", "Say", "Start"},
		belowReads: {"Arrival", "ArrivalContext", "Audit", "Auth", "Catalog", "Changes", "ChangesOf", "ChatStop", "Check", "Close", "ConfigGet",
			"Doctor", "DropDraft", "ExportSession", "FindHook", "Findings", "Glance", "Grants", "HookLook", "Hooks", "ImportSources",
			"InstallPlan", "Keep", "Logins", "Measure", "Overview", "Paths", "PinProblems", "Questions", "Readable", "Report", "Result",
			"SearchPast", "SearchSessions", "Server", "Servers", "Session", "SessionFile", "Sessions", "SessionsLacking", "Subscribe",
			"ToolsList", "Transcript", "Typed", "UseHome", "Watch", "WholeTranscript", "Why"},
	} {
		for _, name := range names {
			out[name] = may
		}
	}
	return out
}

// TestEveryMethodBelowAServer: whatever a face can ask for, somebody decided whether a
// program that a server or a hook started may, and what only a person may is refused
// before anything else is looked at.
func TestEveryMethodBelowAServer(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  a: {command: x, tools: {include: []}}\n", Options{})
	plain := d.options.Getenv
	d.options.Getenv = func(name string) string {
		if name == mcp.MarkVariable {
			return "a"
		}
		return plain(name)
	}
	decided := belowMethods()
	of := reflect.ValueOf(d)
	for i := range of.NumMethod() {
		name := of.Type().Method(i).Name
		may, ok := decided[name]
		delete(decided, name)
		if !ok {
			t.Errorf("nobody decided what %s may do below a server: see belowMethods", name)
		}
		if may != belowNever {
			continue
		}
		err := callWithNothing(t, of.Method(i))
		shown := ErrorView(err)
		if err == nil || shown.Code != "refused" {
			t.Errorf("%s is not refused: %v", name, err)
		}
	}
	for name := range decided {
		t.Errorf("there is no method %s", name)
	}
	if err := d.Ask(t.Context(), Ask{Text: "x", Yolo: true}, func(view.ChatEvent) {}); ErrorView(err).Code != "refused" {
		t.Errorf("--yolo below a server: %v", err)
	}
	if _, err := d.Say(Ask{Text: "x", Yolo: true}); ErrorView(err).Code != "refused" {
		t.Errorf("/yolo below a server: %v", err)
	}
}

// callWithNothing calls a method with the zero value of every parameter and gives its
// error.
func callWithNothing(t *testing.T, method reflect.Value) error {
	t.Helper()
	var args []reflect.Value
	for in := range method.Type().Ins() {
		switch in {
		case reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(t.Context()))
		case reflect.TypeFor[io.Writer]():
			args = append(args, reflect.ValueOf(io.Discard))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	for _, out := range method.Call(args) {
		if err, is := out.Interface().(error); is {
			return err
		}
	}
	return errors.New("no error came")
}
