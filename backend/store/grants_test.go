package store_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

func TestGrants(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	base := store.Grant{Session: "s1", Server: "f", Tool: "w", Definition: "d1", Identity: "i1", Allow: true, Scope: "always", Reason: "fine"}
	changed := func(change func(*store.Grant)) store.Grant {
		g := base
		change(&g)
		return g
	}
	for _, g := range []store.Grant{
		base,
		changed(func(g *store.Grant) { g.Definition = "d2" }),
		changed(func(g *store.Grant) { g.Identity = "i2" }),
		changed(func(g *store.Grant) { g.Scope = "session" }),
		changed(func(g *store.Grant) { g.Scope, g.Session = "session", "s2" }),
		// These two take the place of the first and the fourth.
		changed(func(g *store.Grant) { g.Session, g.Allow, g.Reason = "s3", false, "no more" }),
		changed(func(g *store.Grant) { g.Scope, g.Allow = "session", false }),
	} {
		must(t, s.AddGrant(ctx, g))
	}
	got, err := reopen(t, path).Grants(ctx)
	must(t, err)
	var told []string
	var ids []int64
	for _, g := range got {
		answer := "deny"
		if g.Allow {
			answer = "allow"
		}
		told = append(told, strings.Join([]string{g.Scope, g.Session, g.Definition, g.Identity, answer, g.Reason}, " "))
		ids = append(ids, g.ID)
		if g.At.IsZero() || g.Server != "f" || g.Tool != "w" {
			t.Errorf("got %+v", g)
		}
	}
	want := []string{"always s1 d2 i1 allow fine", "always s1 d1 i2 allow fine", "session s2 d1 i1 allow fine", "always s3 d1 i1 deny no more", "session s1 d1 i1 deny fine"}
	if !reflect.DeepEqual(told, want) {
		t.Fatalf("got %q, want %q", told, want)
	}
	must(t, s.RevokeGrants(ctx))
	must(t, s.RevokeGrants(ctx, ids[0], ids[2], 4711))
	if got, err = s.Grants(ctx); err != nil || len(got) != 3 || got[0].ID != ids[1] {
		t.Errorf("after the revocation: %+v, %v", got, err)
	}
	for name, g := range map[string]store.Grant{
		"once":       changed(func(g *store.Grant) { g.Scope = "once" }),
		"no scope":   changed(func(g *store.Grant) { g.Scope = "" }),
		"no tool":    changed(func(g *store.Grant) { g.Tool = "" }),
		"no hash":    changed(func(g *store.Grant) { g.Definition = "" }),
		"no session": changed(func(g *store.Grant) { g.Scope, g.Session = "session", "" }),
	} {
		if err := s.AddGrant(ctx, g); err == nil {
			t.Errorf("%s: an answer that binds to nothing was remembered", name)
		}
	}
}

func TestUsage(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id, other := newSession(t, s), newSession(t, s)
	one := message.Usage{InputTokens: 10, OutputTokens: 5, CacheRead: 3, CacheWrite: 2}
	must(t, s.AddUsage(ctx, id, "big", one, 0.5, true))
	must(t, s.AddUsage(ctx, id, "big", one, 0.25, true))
	session, err := s.Session(ctx, id)
	must(t, err)
	if session.Usage != one.Add(one) || session.Cost != 0.75 || !session.Priced || session.Model != "big" {
		t.Errorf("got %+v", session)
	}
	must(t, s.AddUsage(ctx, id, "small", one, 9, false))
	must(t, s.AddUsage(ctx, id, "small", message.Usage{}, 0, true))
	session, err = s.Session(ctx, id)
	must(t, err)
	if session.Usage != one.Add(one).Add(one) || session.Priced || session.Model != "small" {
		t.Errorf("got %+v", session)
	}
	models, err := s.Usage(ctx, id)
	must(t, err)
	if want := []store.ModelUsage{{Model: "big", Usage: one.Add(one), Cost: 0.75, Priced: true}, {Model: "small", Usage: one}}; !reflect.DeepEqual(models, want) {
		t.Errorf("got %+v, want %+v", models, want)
	}
	if session, err := s.Session(ctx, other); err != nil || session.Usage != (message.Usage{}) || session.Priced {
		t.Errorf("the other session took %+v, %v", session, err)
	}
	if err := s.AddUsage(ctx, "nobody", "m", one, 0, false); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("got %v", err)
	}
}
