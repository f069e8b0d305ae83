package provider

import (
	"regexp"
	"strings"
)

// The arguments of the demo's calls. A parameter has several possible names
// because the same rules also work with other people's servers.

const demoFile = "notes.md" // in the demo home

func noArgs(string, map[string]bool) []argument { return nil }

func folderArgs(string, map[string]bool) []argument {
	return []argument{{[]string{"path"}, `"."`}}
}

func pathArgs(asked string, _ map[string]bool) []argument {
	return []argument{{[]string{"path", "file", "filename"}, quote(fileIn(asked))}}
}

func logArgs(_ string, params map[string]bool) []argument {
	names := []string{"limit", "max_count", "n", "count"}
	if !params[pick(names, params)] {
		return nil
	}
	return []argument{{names, "5"}}
}

func ticketArgs(asked string, params map[string]bool) []argument {
	title := titleIn(asked)
	out := []argument{{[]string{"title", "subject", "summary"}, quote(title)}}
	body := []string{"body", "description", "text"}
	if params[pick(body, params)] {
		out = append(out, argument{body, quote("Filed by the " + DemoModel + " for: " + strings.TrimSpace(asked))})
	}
	return out
}

func quote(s string) string { return string(appendString(nil, s)) }

// fileIn finds a file name in the request: quoted, or a word with a dot or a
// slash in it; else the file of the demo home.
func fileIn(asked string) string {
	if m := regexp.MustCompile("[\"'`]([^\"'`]+)[\"'`]").FindStringSubmatch(asked); m != nil {
		return m[1]
	}
	for word := range strings.FieldsSeq(asked) {
		word = strings.Trim(word, ".,;:!?()")
		if i := strings.LastIndexAny(word, "./"); i > 0 && i < len(word)-1 {
			return word
		}
	}
	if m := regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:read|skim|show)\s+(?:the\s+file\s+)?(\S+)\s*$`).FindStringSubmatch(asked); m != nil {
		return m[1]
	}
	return demoFile
}

func titleIn(asked string) string {
	m := regexp.MustCompile(`(?is)\bticket\b[\s:]*(?:(?:called|titled|named|about|for)\b[\s:]*)?["']?(.*?)["']?\s*$`).FindStringSubmatch(asked)
	if m != nil {
		if title := strings.Trim(m[1], " .!?\"'"); title != "" {
			return title
		}
	}
	return "Follow up on " + fileIn(asked)
}
