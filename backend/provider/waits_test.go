package provider

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"hermes/backend/message"
)

// TestWaitIsTold: whoever waits a second or more for a model hears how long and why,
// before the wait; a pause that nobody notices is not told.
func TestWaitIsTold(t *testing.T) {
	busy := answer{429, map[string]string{"Retry-After": "7"}, `{"error":{"message":"slow down"}}`, nil}
	for name, test := range map[string]struct {
		first answer
		want  []string
	}{
		"a vendor that asks for it": {busy, []string{"waiting 7s, as the vendor asks, before the model is asked again: the model server 127.0.0.1:1 answered 429 Too Many Requests: slow down"}},
		"a short pause":             {answer{503, nil, "", nil}, nil},
		"a shorter one on demand":   {answer{503, map[string]string{"Retry-After-Ms": "900"}, "", nil}, nil},
	} {
		for vendor, fine := range map[string]string{NameOpenAI: good, NameAnthropic: namedEvents(wholeAnswer("ok")...)} {
			t.Run(name+", "+vendor, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					calls := 0
					options := Options{BaseURL: "http://127.0.0.1:1", Key: "sk-secret-abcdef", Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
						if calls++; calls == 1 {
							return answerOf(test.first.status, test.first.header, test.first.body), nil
						}
						return answerOf(200, nil, fine), nil
					})}}
					request, model := ask("go"), Provider(NewOpenAI(options))
					if vendor == NameAnthropic {
						request, model = askClaude("go"), NewAnthropic(options)
					}
					var told []string
					request.Waits = func(said message.Saying) {
						if calls != 1 {
							t.Errorf("told after %d requests", calls)
						}
						told = append(told, said.Text)
					}
					if _, err := model.Stream(t.Context(), request, nil); err != nil || !slices.Equal(told, test.want) {
						t.Errorf("told %q, want %q; %v", told, test.want, err)
					}
				})
			})
		}
	}
}
