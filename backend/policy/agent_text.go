package policy

import (
	"strconv"
	"strings"
)

// pythonText is a scalar as Python's str() writes what its YAML reader made of
// it. For what has no short spelling there, such as a mapping, it is a text in
// angle brackets, which is no name of a tool.
func pythonText(n *Node) string {
	if n == nil || n.Kind != KindScalar {
		return "<" + kindWord(n) + ">"
	}
	switch {
	case isNull(n):
		return "None"
	case n.Tag == tagText && n.Style == StylePlain && isOldBool(n.Value), n.Tag == tagBool:
		if on, _ := boolLike(n); on {
			return "True"
		}
		return "False"
	case n.Tag == tagInt:
		return pythonInt(n.Value)
	case n.Tag == tagFloat:
		return pythonFloat(n.Value)
	}
	return n.Value
}

// pythonInt reads the spellings of YAML 1.1: 0x, 0b, a leading zero for octal,
// underscores. 0o17 is text there.
func pythonInt(written string) string {
	if strings.HasPrefix(strings.TrimLeft(written, "+-"), "0o") {
		return written
	}
	i, err := strconv.ParseInt(strings.ReplaceAll(written, "_", ""), 0, 64)
	if err != nil {
		return written
	}
	return strconv.FormatInt(i, 10)
}

// pythonFloat writes the shortest text that reads back the same, as Python
// does. A number without a point, such as 1e3, is text there.
func pythonFloat(written string) string {
	if !strings.Contains(written, ".") {
		return written
	}
	switch strings.ToLower(strings.TrimLeft(written, "+-")) {
	case ".inf":
		if written[0] == '-' {
			return "-inf"
		}
		return "inf"
	case ".nan":
		return "nan"
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(written, "_", ""), 64)
	if err != nil {
		return written
	}
	if size := max(f, -f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// agentCatalogue holds the texts about Hermes Agent and about what a change of
// rules did, in the form of the catalogue. They are apart from it because the
// module of the page does not say them.
const agentCatalogue = `
agent.open	every tool is on
agent.only_none	no tool is on
agent.only	only {0}
agent.except	all but {0}
agent.failed	the server fails and offers nothing
agent.skipped	the entry is passed over
agent.helpers	resources and prompts are on beside the whitelist
agent.trust	tools that the server calls read-only run without a question
agent.last	the last one written counts
now.helpers	{0} off: a whitelist names everything that may be called
now.trust	every tool of the server asks first
now.spelled	{0}
fix.helpers	where you want them, write {0} below tools
fix.trust	answer "always" for the tools you know, or write trust: full
fix.spelled	quote each name, so that both programs read the same text
lost.locked	was ` + "`[]`" + `
lost.whitelist	was limited to {0}
lost.blacklist	was kept from {0}
lost.helper	{0} was off
lost.trust	was untrusted
delta.future	tools that are not named, also those the server adds later
delta.pattern	tools that match {0}
delta.helper	the helpers for {0}
delta.feature	{0}: questions of the server
delta.trust	trust: its calls need no question
delta.untrust	trust: its calls need a question
`

// AgentCodes lists the texts that AgentMeaning, Differences, Lost and Compare
// produce, for translations.
func AgentCodes() []Template { return templates(agentCatalogue) }

func agentWords(code string, params ...string) Words {
	return Words{Code: code, Params: params, Text: fill(textOf(agentCatalogue, code), params)}
}

// textOf finds the text of a code in a catalogue.
func textOf(catalogue, code string) string {
	start := strings.Index(catalogue, "\n"+code+"\t")
	if start < 0 {
		return ""
	}
	text, _, _ := strings.Cut(catalogue[start+len(code)+2:], "\n")
	return text
}

func templates(catalogue string) []Template {
	var out []Template
	for rest := catalogue; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if code, text, ok := strings.Cut(line, "\t"); ok {
			out = append(out, Template{Code: code, Text: text})
		}
	}
	return out
}
