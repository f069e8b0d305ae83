package config

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// minWritten is the length from which a password in an address or an argument is
// one. Whoever hides values wherever they appear leaves out the shorter ones.
const minWritten = 3

// minNamed is the length from which the value of a variable is secret where its
// name says so.
const minNamed = 4

// Secrets gives the secrets written out in an entry, 8 characters and longer,
// and shorter ones in args, in url and in addresses: values of env and headers with telling names or the look of a key, and what
// Target masks in args and url, each as written and decoded. Of a value with
// ${VAR} in it nothing is literal; ask an expanded connection for that.
func (c Connection) Secrets() []string {
	s := newSecretSet()
	for _, m := range []map[string]string{c.Env, c.Headers} {
		for _, name := range sortedKeys(m) {
			s.named(name, m[name])
		}
	}
	if c.IdentityHeader != "" {
		s.literal(c.Headers[c.IdentityHeader])
	}
	s.least = minWritten
	s.literal(c.TLS.Password)
	s.args(c.Args)
	s.address(c.URL)
	return s.list
}

// secretSet collects secrets, each once.
type secretSet struct {
	list []string
	seen map[string]bool
	// least is the length from which a value is taken.
	least int
}

func newSecretSet() *secretSet { return &secretSet{seen: map[string]bool{}, least: minSecret} }

func (s *secretSet) add(value string) {
	value = strings.TrimSpace(value)
	for _, written := range []string{value, asJSON(value)} {
		if len(value) >= s.least && !s.seen[written] {
			s.seen[written] = true
			s.list = append(s.list, written)
		}
	}
}

// addNamed takes the value of a variable, also a short one where the name says
// that it is secret: whoever hides it does so only where it is a word of its own.
func (s *secretSet) addNamed(name, value string) {
	if HidesValue(name, value) {
		s.least = minNamed
	}
	s.add(value)
	s.least = minSecret
}

// asJSON is text as a program writes it that prints its settings as JSON.
func asJSON(value string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return value
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(out.String(), "\n"), `"`), `"`)
}

// literal takes a value that is secret as a whole, with the bare token of
// "Bearer abc", because a server may write the token alone, and both as an
// address writes them.
func (s *secretSet) literal(value string) {
	if strings.Contains(value, "${") {
		return
	}
	s.add(value)
	if scheme, token, found := strings.Cut(strings.TrimSpace(value), " "); found && isScheme(scheme) {
		s.add(token)
	}
	if plain, err := url.QueryUnescape(value); err == nil {
		s.add(plain)
	}
	if plain, err := url.PathUnescape(value); err == nil {
		s.add(plain)
	}
	s.add(url.QueryEscape(value))
	s.add(url.PathEscape(value))
}

func isScheme(word string) bool {
	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "bearer", "basic", "token", "apikey":
		return true
	}
	return false
}

// named takes a value with a name: as a whole where the name says so, else what
// in it is an address or a key.
func (s *secretSet) named(name, value string) {
	if HidesValue(name, value) {
		s.literal(value)
		return
	}
	s.text(value)
}

// text takes what maskArg hides in one word or sentence.
func (s *secretSet) text(text string) {
	for _, sign := range []string{";", " "} {
		if isPairs(text, sign) {
			for part := range strings.SplitSeq(text, sign) {
				s.short(func() { s.text(part) })
			}
			return
		}
	}
	if at := strings.Index(text, "://"); at >= 0 && !strings.Contains(text[:at], "=") {
		s.address(text)
		return
	}
	if name, value, found := strings.Cut(text, "="); found && (HidesValue(name, value) || strings.Contains(value, "://") || strings.HasPrefix(name, "-")) {
		s.named(name, value)
		return
	}
	if name, value, found := strings.Cut(text, ":"); found && HidesValue(name, value) {
		s.literal(strings.TrimLeft(value, " "))
		return
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if isKey(word) || i > 0 && strings.EqualFold(words[i-1], "bearer") {
			s.literal(word)
		}
	}
}

// short takes values of the length of a short password, too.
func (s *secretSet) short(take func()) {
	before := s.least
	s.least = minWritten
	take()
	s.least = before
}

// args takes what maskArgs hides.
func (s *secretSet) args(args []string) {
	flag := ""
	for _, arg := range args {
		if _, password, ok := login(flag, arg); ok {
			s.literal(password)
		} else if namesNext(flag) && !strings.HasPrefix(arg, "-") && HidesValue(flag, arg) {
			s.literal(arg)
		} else {
			s.text(arg)
		}
		flag = arg
	}
}

// address takes what maskURL hides.
func (s *secretSet) address(text string) {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		if text != "" && !strings.Contains(text, "=") {
			s.text(text)
		}
		return
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		if _, password, found := strings.Cut(host[:at], ":"); found {
			s.short(func() { s.literal(password) })
		} else {
			s.literal(host[:at])
		}
		host = host[at+1:]
	}
	steps := strings.Split(path, "/")
	hook := hookSteps(host, steps)
	for i, step := range steps {
		if hiddenStep(hook, i, step) {
			s.short(func() { s.literal(step) })
		}
	}
	for _, p := range strings.Split(query, "&") {
		name, value, found := strings.Cut(p, "=")
		if !hidesQuery(name, value) {
			continue
		}
		if !found {
			value = p
		}
		s.literal(value)
	}
	s.literal(fragment)
}

// secrets gives the values of a snapshot that must never be shown. What waits is
// not in force, but it stands on the disk, where a tool may read it.
func (s *Snapshot) secrets() []string {
	out := newSecretSet()
	s.gather(out)
	if s.bare != nil && len(s.Waiting) > 0 {
		s.bare.gather(out)
	}
	return out.list
}

func (s *Snapshot) gather(out *secretSet) {
	for _, name := range sortedKeys(s.scope.file) {
		if value := s.scope.file[name]; !isOpen(name, value) {
			out.addNamed(name, value)
		}
	}
	resolve := func(template string) {
		for _, name := range references(template) {
			if value, ok := s.scope.variable(name); ok && !isOpen(name, value) {
				out.addNamed(name, value)
			}
		}
	}
	for i := range s.Servers {
		c := &s.Servers[i].Conn
		for _, template := range append([]string{c.Command, c.Cwd, c.URL, c.Root, c.TLS.Password}, c.Args...) {
			resolve(template)
		}
		for _, m := range []map[string]string{c.Env, c.Headers} {
			for _, name := range sortedKeys(m) {
				resolve(m[name])
				if value := m[name]; !isOpen(name, value) && looksSecret(value) {
					out.literal(value)
				}
			}
		}
		for _, value := range c.Secrets() {
			out.add(value)
		}
	}
	for _, template := range s.Settings.Model.templates() {
		resolve(template)
		if !strings.Contains(template, "${") {
			out.add(template)
		}
	}
	gateway := s.Settings.Connectors
	resolve(gateway.URL)
	resolve(gateway.Token)
	out.address(gateway.URL)
	if !strings.Contains(gateway.Token, "${") {
		out.add(gateway.Token)
	}
}
