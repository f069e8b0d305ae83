package message

import (
	"strconv"
	"strings"
)

const (
	sameHead = "The result is the same, character by character, as that of call "
	sameSize = " above ("
	sameTail = " characters), so it is not repeated."
	samePath = " All of it is in "
)

// SameAs stands for a result that the model has already read: id is the call that
// brought it, size its characters, path the file where all of it is, or "".
func SameAs(id string, size int, path string) string {
	text := sameHead + id + sameSize + strconv.Itoa(size) + sameTail
	if path != "" {
		text += samePath + path + "."
	}
	return text
}

// SameAsID gives the call that a stored result refers to where it is what SameAs
// writes, also behind a fence and before notes. A server can write the same words:
// what is done with the id has to be harmless for any call of the session.
func SameAsID(content string) (id string, ok bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(Unfence(content)), sameHead)
	tail := strings.LastIndex(inner, sameTail)
	if !ok || tail < 0 {
		return "", false
	}
	at := strings.LastIndex(inner[:tail], sameSize)
	if at <= 0 {
		return "", false
	}
	size, err := strconv.Atoi(inner[at+len(sameSize) : tail])
	after := inner[tail+len(sameTail):]
	if path, rest := strings.CutPrefix(after, samePath); rest && len(path) > 1 && strings.HasSuffix(path, ".") && !strings.Contains(path, "\n") {
		after = ""
	}
	if err != nil || size < 0 || after != "" {
		return "", false
	}
	return inner[:at], true
}
