package guard

import (
	"maps"
	"slices"
	"strings"
)

// maxFilled bounds the folders that are filled in for the one a shell is in.
const maxFilled = 32

// expansions gives what a text can become when its variables are filled in, once
// for each environment a program may have. The folder a program works in is also
// written as a relative path, which may begin in any of them.
func (f *OwnFiles) expansions(text string, add func(string)) {
	for _, vars := range f.environs {
		add(fill(text, vars, false))
		add(fill(text, vars, true))
		if !strings.Contains(strings.ToLower(text), "pwd") {
			continue
		}
		for _, base := range f.bases[:min(len(f.bases), maxFilled)] {
			here := maps.Clone(vars)
			here["pwd"], here["oldpwd"] = base, base
			add(fill(text, here, true))
		}
	}
}

// fill fills in variables as shells of both systems write them: $X, ${X}, ${X:-y},
// %X%, $env:X. One that is cut (${X%/*}) becomes the folder above it. Where strict
// is set, what is not known is nothing, as in a shell.
func fill(text string, vars map[string]string, strict bool) string {
	var out strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$%")
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		sign, rest := text[at], text[at+1:]
		body := strings.TrimPrefix(rest, "{")
		if len(body) > 4 && strings.EqualFold(body[:4], "env:") {
			body = body[4:]
		}
		end := 0
		for end < len(body) && isWord(body[end]) {
			end++
		}
		value, known := vars[strings.ToLower(body[:end])]
		after := body[end:]
		switch {
		case sign == '%' && (!known || !strings.HasPrefix(after, "%")), !known && (!strict || end == 0):
			out.WriteByte(sign)
			text = rest
			continue
		case sign == '%':
			after = after[1:]
		case strings.HasPrefix(rest, "{"):
			var change string
			change, after, _ = strings.Cut(after, "}")
			if known && change != "" && change[0] == '%' {
				value += "/.."
			}
		}
		out.WriteString(value)
		text = after
	}
	return out.String() + text
}

// environments are the variables of the program, and for each server these and
// its own, which win. The folders a program is in and was in are not taken from
// any of them: a shell finds out for itself.
func environments(own map[string]string, servers []map[string]string) []map[string]string {
	var out []map[string]string
	for _, server := range append([]map[string]string{nil}, servers...) {
		vars := map[string]string{}
		for _, from := range []map[string]string{own, server} {
			for name, value := range from {
				if value != "" {
					vars[strings.ToLower(name)] = value
				}
			}
		}
		vars["pwd"], vars["oldpwd"] = ".", "."
		if !slices.ContainsFunc(out, func(other map[string]string) bool { return maps.Equal(other, vars) }) {
			out = append(out, vars)
		}
	}
	return out
}
