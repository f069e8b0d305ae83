package store_test

import (
	"context"
	"testing"

	"hermes/backend/message"
)

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
