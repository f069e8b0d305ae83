package guard

import "strings"

// shape is a kind of token that is secret whatever it belongs to: a fixed
// beginning, which is cheap to look for, and so many signs of a set behind it.
type shape struct {
	prefix string
	set    set
	least  int
	// rest, where it is set, finds the end of what the set cannot describe; 0 is
	// none.
	rest func(text string) int
	// mask, where it is set, is what takes the place of the token.
	mask func(token string) string
}

// set is what a token is made of.
type set int

const (
	alnum    set = iota // letters and digits
	name                // also _ and -
	dotted              // also . and what base64 has
	hexadec             // lower-case hexadecimal digits
	upper               // upper-case letters and digits
	lettered            // name, with a digit in it: words may begin the same way
)

func (s set) holds(c byte) bool {
	digit := c >= '0' && c <= '9'
	switch s {
	case hexadec:
		return digit || c >= 'a' && c <= 'f'
	case upper:
		return digit || c >= 'A' && c <= 'Z'
	case alnum:
		return isWord(c) && c != '_'
	case dotted:
		return isWord(c) || strings.IndexByte("-.~+/=", c) >= 0
	}
	return isWord(c) || c == '-'
}

// newShapes lists the beginnings that issuers give their tokens, bearer headers,
// JSON web tokens, private keys and passwords in addresses.
func newShapes() *shapes {
	var out []shape
	for _, family := range []struct {
		prefixes string
		set      set
		least    int
	}{
		{"sk- xai- pplx- tvly- nvapi- lsv2_pt_ lsv2_sk_ secret_ sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sb_secret_ jina_", lettered, 16},
		{"gho_ ghp_ ghu_ ghs_ ghr_ gsk_ r8_ sbp_ vcp_ figd_ ntn_ lin_api_ tfp_ phx_ pscale_tkn_ pscale_pw_", lettered, 20},
		{"github_pat_ sntrys_ sntryu_ glc_ glsa_ dckr_pat_ fm2_ ATATT3 GOCSPX- sq0atp- sq0csp- pat-na1- pat-eu1-", name, 20},
		{"glpat- gldt- glrt- glcbt- glptt- glft- glagent- glsoat- glimt- hvs. hvb. hvr.", name, 16},
		{"xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-", name, 10},
		{"AKIA ASIA ABIA ACCA", upper, 16},
		{"AIza", name, 30},
		{"npm_ hf_ rubygems_", alnum, 30},
		{"pypi- SG. ya29.", name, 20},
		{"dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ dapi key- fc- pul-", hexadec, 32},
		{"PMAK- NRAK- AGE-SECRET-KEY-1", name, 20},
	} {
		for prefix := range strings.FieldsSeq(family.prefixes) {
			out = append(out, shape{prefix: prefix, set: family.set, least: family.least})
		}
	}
	for _, word := range []string{"Bearer", "bearer", "BEARER"} {
		out = append(out, shape{prefix: word, rest: bearer, mask: func(string) string { return word + " " + redacted }})
	}
	out = append(out,
		shape{prefix: "eyJ", rest: webToken},
		shape{prefix: "-----BEGIN", rest: privateKey, mask: func(string) string { return redacted }},
		shape{prefix: "://", rest: password, mask: func(token string) string {
			user, _, _ := strings.Cut(token[len("://"):], ":")
			return "://" + user + ":" + redacted + "@"
		}},
	)
	sorted := &shapes{}
	for _, shape := range out {
		sorted.heads[shape.prefix[0]] = append(sorted.heads[shape.prefix[0]], shape)
	}
	return sorted
}

// shapes are sorted by the byte they begin with, so that one pass finds all.
type shapes struct{ heads [256][]shape }

// redact masks every token.
func (s *shapes) redact(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		head := s.heads[text[i]]
		if head == nil || i > done && isWord(text[i]) && isWord(text[i-1]) {
			continue // the middle of a word
		}
		for k := range head {
			if !strings.HasPrefix(text[i:], head[k].prefix) {
				continue
			}
			length := head[k].end(text[i+len(head[k].prefix):])
			if length == 0 {
				continue
			}
			end := i + len(head[k].prefix) + length
			out.WriteString(text[done:i])
			out.WriteString(head[k].hidden(text[i:end]))
			done, i = end, end-1
			break
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// hidden is what takes the place of a token.
func (s *shape) hidden(token string) string {
	if s.mask != nil {
		return s.mask(token)
	}
	return masked(token)
}

// end is how long the token goes on behind its beginning, 0 for no token.
func (s *shape) end(rest string) int {
	if s.rest != nil {
		return s.rest(rest)
	}
	n := span(rest, s.set)
	if n < s.least || s.set == lettered && !strings.ContainsAny(rest[:n], "0123456789") || s.prefix == "key-" && n != s.least {
		return 0
	}
	return n
}

func span(text string, s set) int {
	n := 0
	for n < len(text) && s.holds(text[n]) {
		n++
	}
	return n
}

// masked hides a token; of a long one the ends stay, so that a person knows
// which it is (hermes-agent reference 5.4).
func masked(token string) string {
	if len(token) < 18 {
		return redacted
	}
	return token[:6] + "..." + token[len(token)-4:]
}

// bearer is the token of an authorisation header.
func bearer(rest string) int {
	token := strings.TrimLeft(rest, " \t")
	if len(token) == len(rest) {
		return 0
	}
	if n := span(token, dotted); n >= 16 {
		return len(rest) - len(token) + n
	}
	return 0
}

// webToken is a JSON web token: three parts, the second of which begins like
// the first.
func webToken(rest string) int {
	at := 0
	for part := range 3 {
		if part == 1 && !strings.HasPrefix(rest[at:], "eyJ") {
			return 0
		}
		n := span(rest[at:], name)
		if n < minSecret {
			return 0
		}
		if at += n; part < 2 {
			if at >= len(rest) || rest[at] != '.' {
				return 0
			}
			at++
		}
	}
	return at
}

// privateKey goes to the end of the key, or of what is left of it.
func privateKey(rest string) int {
	first, after, _ := strings.Cut(rest, "PRIVATE KEY")
	if len(after) == len(rest) || len(first) > 32 || strings.ContainsAny(first, "\n-") {
		return 0
	}
	start := len(first) + len("PRIVATE KEY")
	if start > len(rest) {
		return 0
	}
	end := strings.Index(rest[start:], "-----END")
	if end < 0 {
		return len(rest)
	}
	end += start + len("-----END")
	if stop := strings.Index(rest[end:], "-----"); stop >= 0 && stop <= 64 {
		return end + stop + len("-----")
	}
	return end
}

// password is user:password@ of an address.
func password(rest string) int {
	end := strings.IndexAny(rest[:min(len(rest), 512)], "/@ \t\r\n\"'")
	if end < 0 || rest[end] != '@' {
		return 0
	}
	user, word, found := strings.Cut(rest[:end], ":")
	if !found || user == "" || len(word) < 3 {
		return 0
	}
	return end + 1
}

// assignments masks the values of variables and of parameters of addresses
// whose names say that they are secret: API_KEY=..., ?access_token=...
func assignments(text string) string {
	var out strings.Builder
	done := 0
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '=')
		if at < 0 {
			break
		}
		at += from
		from = at + 1
		start := at
		for start > done && at-start < 64 && isWord(text[start-1]) {
			start--
		}
		if start == at {
			continue
		}
		parameter := start > 0 && (text[start-1] == '?' || text[start-1] == '&')
		sure := tellsSecret(text[start:at], parameter)
		if !sure && !oftenSecret(text[start:at]) {
			continue
		}
		begin := from
		if begin < len(text) && (text[begin] == '"' || text[begin] == '\'') {
			begin++
		}
		n := 0
		for begin+n < len(text) && !strings.ContainsRune(" \t\r\n\"'&;#<>()[]{}$`\\,", rune(text[begin+n])) {
			n++
		}
		if n < minSecret || strings.HasPrefix(text[begin:], redacted[1:]) || strings.Contains(text[begin:begin+n], "...") || !sure && !isMixed(text[begin:begin+n]) {
			continue
		}
		out.WriteString(text[done:begin])
		out.WriteString(redacted)
		done, from = begin+n, begin+n
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// tellsSecret reads the name of a variable, which has only capitals, or of a
// parameter of an address.
func tellsSecret(name string, parameter bool) bool {
	if parameter {
		switch strings.ToLower(name) {
		case "key", "api_key", "apikey", "token", "access_token", "refresh_token", "id_token", "auth_token", "client_secret", "secret", "password", "sig", "signature", "x_amz_signature":
			return true
		}
		return false
	}
	if strings.ToUpper(name) != name {
		return false
	}
	for _, end := range []string{"API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// oftenSecret reads the name of a setting in small letters or camel case. Programs
// write their own variables so as well, so the value has to look like no name.
func oftenSecret(name string) bool {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "password", "passwd", "passphrase", "pwd", "secret", "clientsecret", "apikey", "secretkey", "privatekey", "accesskey", "accesstoken", "refreshtoken", "authtoken":
		return true
	}
	return false
}

// isMixed tells a value with letters and digits that is no path.
func isMixed(value string) bool {
	return strings.ContainsAny(value, "0123456789") && strings.IndexFunc(value, func(r rune) bool { return r < 0x80 && isWord(byte(r)) && (r < '0' || r > '9') && r != '_' }) >= 0 && !strings.Contains(value, "/")
}
