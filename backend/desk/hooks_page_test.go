package desk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/mcp"
	"hermes/backend/view"
)

// hookedHome opens a desk on a home with one hook, a script, and gives its path.
func hookedHome(t *testing.T, o Options) (d *Desk, script string) {
	t.Helper()
	script = filepath.Join(t.TempDir(), "guard.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return openHome(t, fmt.Sprintf("hooks: {pre_tool_call: [{matcher: x, command: %q}]}\nmcp_servers: {}\n", script), o), script
}

// TestPageTrustsWhatItShowed: the text and the hash are those of the script, nothing
// is trusted without the typed name or with files that changed since, and a consent
// goes by all that tells its hook from others.
func TestPageTrustsWhatItShowed(t *testing.T) {
	d, script := hookedHome(t, Options{})
	pick := view.HookPick{Event: "pre_tool_call", Matcher: "x", Command: script}
	look, err := d.HookLook(pick)
	if err != nil || look.Name != "guard.sh" || len(look.Contents) == 0 || look.Contents[0].Text != "#!/bin/sh\nexit 0\n" ||
		len(look.Contents) != len(look.Hook.Files) || look.Hook.State != view.HookUntrusted {
		t.Fatalf("%+v %v", look, err)
	}
	for i, file := range look.Hook.Files {
		if c := look.Contents[i]; c.Path != file.Path || c.SHA256 != file.SHA256 {
			t.Errorf("shown %s %s, trusted %s %s", c.Path, c.SHA256, file.Path, file.SHA256)
		}
	}
	wish := view.HookTrust{Pick: pick, Files: look.Hook.Files, Typed: "guard"}
	if done, err := d.TrustSeen(wish); err == nil || done.Changed {
		t.Errorf("without the name: %+v", done)
	}
	wish.Typed = "guard.sh"
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if done, err := d.TrustSeen(wish); err == nil || done.Changed {
		t.Errorf("other files than were shown: %+v", done)
	}
	if look, err = d.HookLook(pick); err != nil {
		t.Fatal(err)
	}
	wish.Files = look.Hook.Files
	if done, err := d.TrustSeen(wish); err != nil || !done.Changed || done.Hook.State != view.HookTrusted {
		t.Errorf("%+v %v", done, err)
	}
	if done, err := d.ForgetHook(view.HookPick{Event: pick.Event, Matcher: "y", Command: script}); err != nil || done.Changed {
		t.Errorf("another hook's consent: %+v %v", done, err)
	}
	if done, err := d.ForgetHook(pick); err != nil || !done.Changed || len(done.Hook.Said) != 1 || done.Hook.Said[0].Code != "hookstate.new" {
		t.Errorf("%+v %v", done, err)
	}
	if list, err := d.Hooks(); err != nil || list.Hooks[0].State != view.HookUntrusted {
		t.Errorf("%+v %v", list, err)
	}
}

// TestServersTrustNoHooks: what a program of a server may not type it may not have
// by way of the page either.
func TestServersTrustNoHooks(t *testing.T) {
	d, script := hookedHome(t, Options{})
	own := d.options.Getenv
	d.options.Getenv = func(name string) string {
		if name == mcp.MarkVariable {
			return "files"
		}
		return own(name)
	}
	if descendantOf(d.options.Getenv) == "" {
		t.Fatal("the mark of a server's programs is another one")
	}
	pick := view.HookPick{Event: "pre_tool_call", Matcher: "x", Command: script}
	look, err := d.HookLook(pick)
	if err != nil {
		t.Fatal(err)
	}
	var refused *Failure
	if _, err := d.TrustSeen(view.HookTrust{Pick: pick, Files: look.Hook.Files, Typed: "guard.sh"}); !errors.As(err, &refused) || refused.View.Code != "refused" {
		t.Errorf("trusted: %v", err)
	}
	if _, err := d.ForgetHook(pick); !errors.As(err, &refused) || refused.View.Code != "refused" {
		t.Errorf("revoked: %v", err)
	}
}

// TestSavedSessionIsPrivate: an unknown session writes nothing, and the file is its
// owner's alone.
func TestSavedSessionIsPrivate(t *testing.T) {
	d := openHome(t, "model: {provider: demo}\n", Options{})
	file := filepath.Join(t.TempDir(), "session.json")
	if err := d.SaveSession("nothing", file); err == nil {
		t.Error("an unknown session was saved")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was made for it")
	}
	var session string
	if err := d.Ask(t.Context(), Ask{Text: "hello"}, func(e view.ChatEvent) { session = e.Session }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.SaveSession(session, file); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	data, unread := os.ReadFile(file)
	if err != nil || unread != nil || info.Mode().Perm() != 0o600 || !strings.Contains(string(data), "hello") {
		t.Errorf("%v %s %v %v", info.Mode(), data, err, unread)
	}
	if err := d.SaveSession(session, filepath.Join(t.TempDir(), "missing", "x.json")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
