package config

import (
	"strings"
	"unicode"
)

// telling says how much a name tells of its value: nothing, that it is often a
// secret, or that it is one.
type telling int

const (
	tellsNothing telling = iota
	tellsMaybe
	tellsSecret
)

// namesSecret tells a name of a variable, a header, a flag or a key that says
// that its value may be a secret. What the value is decides hidesValue.
func namesSecret(name string) bool { return tells(name) != tellsNothing }

func tells(name string) telling {
	if name == "" || len(name) > 256 || name == "PWD" || name == "OLDPWD" {
		return tellsNothing
	}
	words := nameWords(name)
	if len(words) == 0 || len(words) > 1 && isNegation(words[0]) {
		return tellsNothing
	}
	s := strings.ToLower(name)
	for _, part := range []string{
		"token", "secret", "passw", "passphrase", "apikey", "api-key", "api_key", "accesskey", "access-key", "access_key",
		"private-key", "private_key", "credential", "authorization", "bearer", "cookie", "signature", "x-api",
	} {
		if strings.Contains(s, part) {
			return tellsSecret
		}
	}
	found := tellsNothing
	for i, word := range words {
		last := i == len(words)-1
		switch word {
		case "pass", "passwd", "pw", "pwd", "pat", "creds":
			return tellsSecret
		case "webhook":
			found = tellsMaybe
		case "key", "keys":
			before := ""
			if i > 0 {
				before = words[i-1]
			}
			switch {
			case before == "public" || before == "primary" || before == "foreign":
			case last:
				return tellsSecret
			case isKeyEnding(words[i+1]):
				found = tellsMaybe
			}
		case "accountkey", "authkey", "secretkey", "privatekey", "signingkey", "encryptionkey", "licensekey", "sharedkey":
			return tellsSecret
		case "dsn", "sig":
			if last {
				return tellsSecret
			}
		case "passcode", "pincode":
			return tellsSecret
		case "pin":
			if last || words[i+1] == "code" {
				return tellsSecret
			}
		case "access", "conn":
			if last {
				found = tellsMaybe
			}
		case "auth", "session", "sessionid", "private", "connectionstring", "connstr":
			found = max(found, unlessAbout(words))
		case "string", "str":
			if i > 0 && (words[i-1] == "connection" || words[i-1] == "conn") {
				found = tellsMaybe
			}
		case "code":
			if len(words) == 1 {
				found = tellsMaybe
			}
		}
	}
	return found
}

// unlessAbout takes back what a word tells where the last one says that the
// value is something about it.
func unlessAbout(words []string) telling {
	if isAbout(words[len(words)-1]) {
		return tellsNothing
	}
	return tellsMaybe
}

func isAbout(word string) bool {
	switch word {
	case "env", "name", "type", "mode", "enabled", "disabled", "required", "count", "limit", "length", "size", "ttl", "timeout", "expiry", "url", "uri", "host", "port",
		"address", "method", "provider", "scheme", "server", "endpoint", "domain", "realm", "issuer", "scope", "scopes", "network", "ip", "desktop":
		return true
	}
	return false
}

func isKeyEnding(word string) bool {
	switch word {
	case "id", "value", "pem", "hex", "base64", "b64", "prod", "dev", "test", "staging", "live", "old", "new":
		return true
	}
	return isDigits(word)
}

func isNegation(word string) bool {
	return word == "no" || word == "disable" || word == "skip" || word == "without"
}

// nameWords splits a name at its signs and at its camel case, in lower case. A
// path or a sentence is no name.
func nameWords(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '_' || r == '-' || r == '.':
			end()
			continue
		case r == '/' || r == '\\' || r == '@' || r == ':':
			return []string{strings.ToLower(name)}
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word.WriteRune(r)
	}
	end()
	return words
}

// HidesValue tells that a value under a name is a secret by the name. Words such
// as true are none, nor are numbers and paths where the name says no more than
// that there may be a secret.
func HidesValue(name, value string) bool {
	v := strings.TrimSpace(value)
	how := tells(name)
	if how == tellsNothing || v == "" || isSwitch(v) {
		return false
	}
	words := nameWords(name)
	last := words[len(words)-1]
	if how == tellsSecret {
		switch {
		case last == "pin" && isDigits(v):
			// Not the pin of a board.
			return len(v) > 3
		case last == "tokens" || isAbout(last):
			return !isDigits(v)
		case last == "file" || last == "path" || last == "dir" || last == "credentials":
			return !isPath(v)
		case last == "key" || last == "keys":
			// A key in base64 may begin like a path, and has no dot.
			return !isPath(v) || !strings.Contains(v, ".")
		}
		return true
	}
	return !isPath(v) && !isDigits(v) && !isWord(v)
}

// looksSecret tells a value that is no word, path, address, number or name of a
// place or a version, whatever it is called: letters and digits, in both cases or
// long. Settings such as production and eu-central-1 would tear holes into what a
// model reads.
func looksSecret(value string) bool {
	v := strings.TrimSpace(value)
	if len(v) < minSecret || len(v) > 4096 || strings.Contains(v, "${") || strings.ContainsAny(v, " \t\n/\\:{}[],") {
		return false
	}
	upper, lower, digits := false, false, 0
	for _, r := range v {
		upper, lower = upper || unicode.IsUpper(r), lower || unicode.IsLower(r)
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits > 1 && (upper && lower || (upper || lower) && len(v) >= 20 && !strings.Contains(v, "."))
}

func isSwitch(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "none", "null":
		return true
	}
	return false
}

// isDigits tells a number, also one with dots as a version has.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

// isWord tells a word as settings have: short, and letters alone.
func isWord(s string) bool {
	return len(s) <= 10 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' }) < 0
}

func isPath(s string) bool {
	drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	if !drive && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~/") && !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "../") {
		return false
	}
	return !strings.ContainsAny(s, "+=;?&") && !strings.Contains(s, "://")
}

// isBotToken tells the token of a Telegram bot.
func isBotToken(s string) bool {
	number, rest, found := strings.Cut(s, ":")
	return found && len(number) >= 8 && len(number) <= 10 && strings.Trim(number, "0123456789") == "" && len(rest) == 35 &&
		strings.IndexFunc(rest, func(r rune) bool {
			return r >= 128 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
		}) < 0
}

// hookSteps says from which step on the path of an address is the secret of a
// webhook, -1 for none.
func hookSteps(host string, steps []string) int {
	host = strings.ToLower(host)
	for i, step := range steps {
		switch {
		case host == "hooks.slack.com" && (step == "services" || step == "workflows" || step == "triggers"),
			(host == "discord.com" || host == "discordapp.com" || strings.HasSuffix(host, ".discord.com")) && step == "webhooks",
			strings.HasSuffix(host, ".webhook.office.com") && strings.HasPrefix(step, "webhook"):
			return i + 1
		}
	}
	return -1
}

// hiddenStep tells a step of an address's path that is secret.
func hiddenStep(hook, i int, step string) bool {
	return step != "" && (hook >= 0 && i >= hook || isKey(step) || looksRandom(step) || isBotToken(strings.TrimPrefix(step, "bot")))
}

// login cuts what follows -u at the password.
func login(flag, value string) (user, password string, ok bool) {
	if flag != "-u" && flag != "--user" && flag != "--proxy-user" {
		return "", "", false
	}
	user, password, ok = strings.Cut(value, ":")
	return user, password, ok && user != "" && password != "" && !isDigits(password) && !strings.HasPrefix(password, "//")
}

// isPairs tells settings in one text, as a connection string has them: a pair
// with a telling name among others.
func isPairs(text, sign string) bool {
	if !strings.Contains(text, sign) {
		return false
	}
	for part := range strings.SplitSeq(text, sign) {
		if name, value, found := strings.Cut(part, "="); found && HidesValue(strings.TrimSpace(name), value) {
			return true
		}
	}
	return false
}
