package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Check tells whether an answer satisfies the form and gives it back as it is
// sent: the form's own fields, in their order, and nothing else. The error is
// ErrAnswer and names the field, never the value.
func (f Form) Check(content json.RawMessage) (json.RawMessage, error) {
	if len(content) > MaxContent {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrAnswer, MaxContent)
	}
	if len(bytes.TrimSpace(content)) == 0 {
		content = json.RawMessage("{}")
	}
	ms, err := members(content)
	if err != nil {
		return nil, fmt.Errorf("%w: it is %w", ErrAnswer, err)
	}
	for _, m := range ms {
		if !slices.ContainsFunc(f.fields, func(field Field) bool { return field.Name == m.key }) {
			return nil, fmt.Errorf("%w: nobody asked for %q", ErrAnswer, label(m.key, maxTitle))
		}
	}
	out := []byte{'{'}
	for _, field := range f.fields {
		at := slices.IndexFunc(ms, func(m member) bool { return m.key == field.Name })
		if at < 0 {
			if field.Required {
				return nil, fmt.Errorf("%w: %s is missing", ErrAnswer, field.Title)
			}
			continue
		}
		if err := field.check(ms[at].value); err != nil {
			return nil, fmt.Errorf("%w: %s %w", ErrAnswer, field.Title, err)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, err := json.Marshal(field.Name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
		}
		out = append(append(append(out, key...), ':'), bytes.TrimSpace(ms[at].value)...)
	}
	return append(out, '}'), nil
}

// check tells what is wrong with one value.
func (f Field) check(raw json.RawMessage) error {
	switch f.Kind {
	case FieldSwitch:
		if text := string(bytes.TrimSpace(raw)); text != "true" && text != "false" {
			return fmt.Errorf("must be yes or no")
		}
		return nil
	case FieldNumber, FieldInteger:
		return f.checkNumber(string(bytes.TrimSpace(raw)))
	case FieldChoices:
		var chosen []*string
		if json.Unmarshal(raw, &chosen) != nil || chosen == nil {
			return fmt.Errorf("must be a list of choices")
		}
		seen := map[string]bool{}
		for _, value := range chosen {
			if value == nil || !f.offers(*value) {
				return fmt.Errorf("holds what is not offered")
			}
			if seen[*value] {
				return fmt.Errorf("holds a choice twice")
			}
			seen[*value] = true
		}
		return f.checkLength(len(chosen), "choices")
	}
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return fmt.Errorf("must be text")
	}
	if f.Kind == FieldChoice {
		if !f.offers(*text) {
			return fmt.Errorf("must be one of what is offered")
		}
		return nil
	}
	if err := f.checkLength(utf8.RuneCountInString(*text), "characters"); err != nil {
		return err
	}
	return f.checkFormat(*text)
}

func (f Field) offers(value string) bool {
	return slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == value })
}

func (f Field) checkLength(n int, what string) error {
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Errorf("needs at least %d %s", *f.MinLength, what)
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Errorf("may have at most %d %s", *f.MaxLength, what)
	}
	return nil
}

// checkNumber takes whole numbers only as far as every reader of JSON keeps them
// exactly.
func (f Field) checkNumber(text string) error {
	var n json.Number
	if text == "" || text[0] == '"' || json.Unmarshal([]byte(text), &n) != nil || text == "null" {
		return fmt.Errorf("must be a number")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) {
		return fmt.Errorf("is too large a number")
	}
	if f.Kind == FieldInteger {
		if !regexp.MustCompile(`^-?[0-9]+$`).MatchString(text) {
			return fmt.Errorf("must be a whole number")
		}
		if math.Abs(value) > 1<<53 {
			return fmt.Errorf("is too large a number")
		}
	}
	switch {
	case f.Minimum != nil && value < *f.Minimum:
		return fmt.Errorf("must be at least %v", *f.Minimum)
	case f.Maximum != nil && value > *f.Maximum:
		return fmt.Errorf("must be at most %v", *f.Maximum)
	}
	return nil
}

func (f Field) checkFormat(text string) error {
	switch f.Format {
	case "email":
		if address, err := mail.ParseAddress(text); err != nil || address.Address != text {
			return fmt.Errorf("must be an e-mail address")
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || !u.IsAbs() || u.Host == "" && u.Opaque == "" && u.Path == "" {
			return fmt.Errorf("must be an address such as https://example.com")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return fmt.Errorf("must be a date such as 2026-11-30")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("must be a time such as 2026-11-30T12:00:00Z")
		}
	}
	return nil
}
