package registry

import "strings"

// newsBudget bounds what a conversation is told of added tools, in tokens.
const newsBudget = 1500

// News are lines about tools by their public names, for a model that was offered
// a list without them: with parameters where they fit, then names alone, then
// only how many they are. Names that cannot be called are left out; without any
// it is empty.
func (c *Catalog) News(names []string) string {
	var found []*Entry
	for _, name := range names {
		i, ok := c.byPublic[name]
		if !ok || !c.all[i].Verdict.Allowed || c.all[i].Quarantine != "" {
			continue
		}
		found = append(found, &c.all[i].Entry)
	}
	if len(found) == 0 {
		return ""
	}
	const begin = "The tools you can call changed since your list was made. "
	full := begin + "New or changed; call them with tool_call:\n"
	brief := begin + "New or changed; look at them with tool_describe: "
	line := signatureLine(listedSentence, map[string]string{})
	var lines, list strings.Builder
	for i, e := range found {
		lines.WriteString(line(e))
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(e.Public)
	}
	switch {
	case tokens(lines.Len()) <= newsBudget:
		return full + strings.TrimSuffix(lines.String(), "\n")
	case tokens(list.Len()) <= newsBudget:
		return brief + list.String()
	}
	return begin + count(len(found), "tool") + " were added or changed; find them with tool_search."
}
