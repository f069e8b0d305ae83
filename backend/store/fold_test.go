package store_test

import (
	"context"
	"testing"

	"hermes/backend/message"
)

// TestSearchUmlauts: an umlaut is found as it is typed without one, and the other way
// round; words of other languages find nothing more.
func TestSearchUmlauts(t *testing.T) {
	s, _ := openStore(t)
	for _, text := range []string{"Viele Grüße aus Köln", "Die Uebergabe in Goettingen", "der Mu\u0308lleimer", "neun dosen, ein Test truck"} {
		must(t, s.AppendTurn(context.Background(), newSession(t, s), []message.Message{user(text)}))
	}
	for query, want := range map[string]string{
		"koeln": "Viele Grüße aus Köln", "KOELN": "Viele Grüße aus Köln", "gruesse": "Viele Grüße aus Köln", "gruesse koeln": "Viele Grüße aus Köln",
		`"gruesse aus koeln"`: "Viele Grüße aus Köln", "koe": "", "übergabe": "Die Uebergabe in Goettingen", "u\u0308bergabe göttingen": "Die Uebergabe in Goettingen",
		"uebergabe": "Die Uebergabe in Goettingen", "muell": "der Mu\u0308lleimer", "muelleimer": "der Mu\u0308lleimer",
		"neue": "", "does": "", "true": "", "koeln goettingen": "",
	} {
		if got := searched(t, s, query); got != want {
			t.Errorf("search %q found %q, want %q", query, got, want)
		}
	}
}

// TestSearchFolds: a sharp s is found however it is typed, and shown as it was
// written.
func TestSearchFolds(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	must(t, s.AppendTurn(ctx, newSession(t, s), []message.Message{user("Viele Grüße aus der Hauptstraße, ﬁn.")}))
	must(t, s.AppendTurn(ctx, newSession(t, s), []message.Message{user("GROẞE FLUSSSTRASSE")}))
	for query, want := range map[string]string{
		"GRÜSSE": "Viele Grüße aus der Hauptstraße, ﬁn.", "grüsse": "Viele Grüße aus der Hauptstraße, ﬁn.", "grusse": "Viele Grüße aus der Hauptstraße, ﬁn.",
		"Grüße": "Viele Grüße aus der Hauptstraße, ﬁn.", "HAUPTSTRASSE": "Viele Grüße aus der Hauptstraße, ﬁn.", "hauptstrasse fin": "Viele Grüße aus der Hauptstraße, ﬁn.",
		`"aus der Hauptstrasse"`: "Viele Grüße aus der Hauptstraße, ﬁn.", "flußstraße": "GROẞE FLUSSSTRASSE", "große": "GROẞE FLUSSSTRASSE",
	} {
		found, err := s.Search(ctx, query, 10)
		must(t, err)
		if len(found) != 1 || found[0].Snippet != want {
			t.Errorf("search %q found %+v, want %q", query, found, want)
		}
	}
}
