package guard

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minEncoded is the shortest piece of a base64 text that is looked for.
const minEncoded = 10

// written are the ways a secret is written by programs that do not mean to give
// it away: as it is, in JSON, in an address, in hexadecimal digits, and in base64,
// where it may begin at each of three places, as behind the name in the header of
// Basic authentication.
func written(value string) []string {
	out := []string{value}
	add := func(text string) {
		if len(text) >= minSecret && !slices.Contains(out, text) && !strings.Contains(redacted, text) {
			out = append(out, text)
		}
	}
	if text, err := json.Marshal(value); err == nil {
		add(strings.Trim(string(text), `"`))
	}
	add(url.QueryEscape(value))
	add(url.PathEscape(value))
	add(hex.EncodeToString([]byte(value)))
	add(strings.ToUpper(hex.EncodeToString([]byte(value))))
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
			// The signs at the edges depend on what stands beside the secret.
			first := (before*8 + 5) / 6
			last := (before + len(value)) * 8 / 6
			if text = text[first:last]; len(text) >= minEncoded {
				add(text)
			}
		}
	}
	return out
}
