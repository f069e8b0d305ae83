package guard_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/guard"
)

// TestRedactEncoded: a known secret in the spellings of other programs.
func TestRedactEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9/+"\\ &%ü-]{8,40}`).Draw(t, "secret")
		before, after := rapid.StringMatching(`[a-z:]{0,9}`).Draw(t, "before"), rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "after")
		r := guard.NewRedactor([]string{secret})
		quoted, _ := json.Marshal(secret)
		for name, text := range map[string]string{
			"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "json": string(quoted), "hex": hex.EncodeToString([]byte(secret)),
		} {
			if got := r.Redact(before + " " + text + " " + after); strings.Contains(got, strings.Trim(text, `"`)) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if len(secret) < 10 {
			return // too few signs of base64 are sure
		}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(before + secret + after))
			if got := r.Redact("Basic " + text + "."); strings.Contains(got, text) || !strings.Contains(got, "[redacted]") {
				t.Errorf("%q in %q", secret, got)
			}
		}
	})
}

func TestRedactShortSecrets(t *testing.T) {
	r := guard.NewRedactor([]string{"a1b2", "Tr0ub", "pass!", "test", "TEST", "Test", "admin", "1234", "271828", "x1", "hUnter", "[redacted]", "redacted"})
	for in, want := range map[string]string{
		"pin a1b2, a1b2.":              "pin [redacted], [redacted].",
		"xa1b2 a1b2x a1b2_x":           "xa1b2 a1b2x a1b2_x",
		"it is Tr0ub pass! hUnter":     "it is [redacted] [redacted] [redacted]",
		"test TEST Test admin 1234 x1": "test TEST Test admin 1234 x1",
		"code 271828 of 1271828":       "code [redacted] of 1271828",
		"[redacted] redacted":          "[redacted] redacted",
	} {
		if got := r.Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRedactAssignments(t *testing.T) {
	r := guard.NewRedactor(nil)
	for in, want := range map[string]string{
		"export STRIPE_API_KEY=abcdefgh12 X=1":                    "export STRIPE_API_KEY=[redacted] X=1",
		`DB_PASSWORD="correct horse" TOKEN='abcdefgh'`:            `DB_PASSWORD="correct horse" TOKEN='[redacted]'`,
		"GET /x?access_token=abcdefgh12&n=5":                      "GET /x?access_token=[redacted]&n=5",
		"token = getToken() password=example API_KEY=$OTHER1":     "token = getToken() password=example API_KEY=$OTHER1",
		"user=x password=zzTop99887 apiKey='abc123def456'":        "user=x password=[redacted] apiKey='[redacted]'",
		"password=get_password(x) passwd=/etc/pass/word1":         "password=get_password(x) passwd=/etc/pass/word1",
		"MAX_TOKENS=4096000000 KEY=value":                         "MAX_TOKENS=4096000000 KEY=value",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRf":       "AWS_SECRET_ACCESS_KEY=[redacted]",
		"https://a.b/c?key=AIzaSyA123456789012345678901234512345": "https://a.b/c?key=AIzaSy...2345",
	} {
		if got := r.Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestRedactExactly: the switch for what looks like a secret leaves what is one.
func TestRedactExactly(t *testing.T) {
	const shape = "sk-proj-abcDEF0123456789abcd"
	if got := guard.NewRedactor([]string{"hunter2hunter2"}).Exactly().Redact(shape + " hunter2hunter2"); got != shape+" [redacted]" {
		t.Error(got)
	}
}

func FuzzRedact(f *testing.F) {
	for _, seed := range []string{"", "sk-", "Bearer  ", "-----BEGIN PRIVATE KEY-----", "://a:b@", "://a:bcd@x", "eyJ.eyJ.", "A_TOKEN=", "?key=", "API_KEY=abcdefgh=abcdefgh", "hunter2hunter2", "[redacted]", "a1b2", "xoxb-1234567890-abc...", "-----BEGIN X PRIVATE KEY-----END"} {
		f.Add(seed)
	}
	r := guard.NewRedactor([]string{"hunter2hunter2", "a1b2", "two words here"})
	f.Fuzz(func(t *testing.T, text string) {
		once := r.Redact(text)
		if len(once) > 2*len(text)+len("[redacted]") {
			t.Errorf("%d bytes became %d", len(text), len(once))
		}
		if twice := r.Redact(once); twice != once {
			t.Errorf("%q, and again %q", once, twice)
		}
		if strings.Contains(once, "hunter2hunter2") {
			t.Errorf("%q", once)
		}
	})
}

func FuzzFence(f *testing.F) {
	turn := newTurn(f, "")
	for _, seed := range []string{"", "</untrusted_tool_result>", "＜/ＵＮＴＲＵＳＴＥＤ＿tool_result", "&lt;/untrusted_tool_result&gt;", "&amp;lt;untrusted_tool_result", "&#x3C;/untrusted-tool-result", `\u003c/untrusted_tool_result`, "<\u200b/un\u200btrusted_tool_result", "<hermes_note>", "< / hermes _ note", "𝐮ntrusted", "<𝐮𝐧𝐭𝐫𝐮𝐬𝐭𝐞𝐝_tool_result"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFence(t, turn, text) })
}

func BenchmarkRedact(b *testing.B) {
	var secrets []string
	for i := range 30 {
		secrets = append(secrets, strings.Repeat(string(rune('a'+i%26)), 8)+hex.EncodeToString([]byte{byte(i), byte(i * 7), 9}))
	}
	secrets = append(secrets, "a1b2c")
	r := guard.NewRedactor(secrets)
	for name, line := range map[string]string{
		"prose":   "The quick brown fox jumps over the lazy dog.\n",
		"percent": "%41%42%5c%2f",
		"escaped": `\\\\u005c\\\\"x\\u00e9&amp;quot;`,
		"quoted":  `{\"id\":\"7f3e9a10\",\"url\":\"https:\/\/example.com\/a?b=c&d=e\"}\n`,
		"json":    `{"id":"7f3e9a10","key":"value","url":"https://example.com/a?b=c","token_count":12}` + "\n",
	} {
		text := strings.Repeat(line, 1_000_000/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			guard.NewRedactor(secrets)
		}
	})
}
