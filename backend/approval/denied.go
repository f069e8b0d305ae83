package approval

import (
	"encoding/json"
	"strings"
)

// maxNested bounds how deep JSON is looked for in texts of JSON. Each level
// doubles the escapes of the one above, so what is deeper does not fit a call.
const maxNested = 32

// anyText gives hit every text of JSON arguments until it says yes: keys, each of
// two values of one key, and what stands in a text that holds JSON itself. Which of
// two values counts is the server's choice. What is no JSON is one text.
func anyText(arguments string, hit func(string) bool) bool {
	return eachText(arguments, hit, 0) ||
		!json.Valid([]byte(arguments)) && strings.TrimSpace(arguments) != "" && hit(arguments)
}

// eachText goes through the tokens, so that nothing is lost as in a map.
func eachText(text string, hit func(string) bool, nested int) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		said, ok := token.(string)
		if !ok || said == "" {
			continue
		}
		if hit(said) {
			return true
		}
		inner := strings.TrimSpace(said)
		if nested < maxNested && len(inner) > 1 && strings.IndexByte(`{["`, inner[0]) >= 0 && eachText(inner, hit, nested+1) {
			return true
		}
	}
}
