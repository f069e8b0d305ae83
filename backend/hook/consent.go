package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"hermes/backend/native"
)

// consentFile is the file in our own folder, maxConsents how long it may be.
const (
	consentFile = "hooks.json"
	maxConsents = 4 << 20
)

// Consent is a person's word that a hook may run: for this event, matcher and
// command, and for these contents of its files. Any other content is another
// hook.
type Consent struct {
	Event      string    `json:"event"`
	Matcher    string    `json:"matcher"`
	Command    string    `json:"command"`
	Files      []File    `json:"files"`
	ApprovedAt time.Time `json:"approved_at"`
}

// same tells whether two consents let the same files run.
func (c Consent) same(o Consent) bool {
	return c.Event == o.Event && c.Matcher == o.Matcher && c.Command == o.Command &&
		slices.EqualFunc(c.Files, o.Files, func(a, b File) bool { return a.Path == b.Path && a.SHA256 == b.SHA256 })
}

// errKept is a consent that came while an agent was at work.
var errKept = errors.New("its consent was written while the agent was at work and waits; `hermes mcp reload`, or your next message once the agent is done, takes it")

func (c Consent) of(r Rule) bool {
	return c.Event == r.Event && c.Matcher == r.Matcher && c.Command == r.Command
}

// Consents are the hooks that a person trusts in one home. The zero value trusts
// none. Several processes may use one folder.
type Consents struct {
	// Folder is our own folder in the home.
	Folder string
	// Kept, where there is one, are the consents from before an agent went to work:
	// only those count that are among them, too.
	Kept *[]Consent
}

// consents is the file as it is written.
type consents struct {
	Version int       `json:"version"`
	Hooks   []Consent `json:"hooks"`
}

// Path is the file.
func (c Consents) Path() string { return filepath.Join(c.Folder, consentFile) }

// List gives every consent, none for a home without the file. One that cannot be
// read is an error: of nothing in it is known that a person said it.
func (c Consents) List() ([]Consent, error) {
	if c.Folder == "" {
		return nil, nil
	}
	data, err := native.Read(c.Path(), maxConsents)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the trusted hooks cannot be read: %w", err)
	}
	var read consents
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, fmt.Errorf("the trusted hooks in %s cannot be read (%w); `hermes hooks trust` writes the file anew", c.Path(), err)
	}
	if read.Version != 1 {
		return nil, fmt.Errorf("the trusted hooks in %s are of the version %d, and this program knows 1", c.Path(), read.Version)
	}
	return read.Hooks, nil
}

// find gives the consent for a hook.
func (c Consents) find(r Rule) (Consent, bool, error) {
	list, err := c.List()
	if i := slices.IndexFunc(list, func(known Consent) bool { return known.of(r) }); i >= 0 {
		if c.Kept != nil && !slices.ContainsFunc(*c.Kept, list[i].same) {
			return Consent{}, false, errKept
		}
		return list[i], true, err
	}
	return Consent{}, false, err
}

// Trust writes a consent down, in the place of an earlier one for the same hook.
// The folder has to be there. A file that cannot be read is put aside.
func (c Consents) Trust(consent Consent) error {
	return c.change(func(list []Consent) []Consent {
		rule := Rule{Event: consent.Event, Matcher: consent.Matcher, Command: consent.Command}
		return append(slices.DeleteFunc(list, func(known Consent) bool { return known.of(rule) }), consent)
	})
}

// Revoke takes back the consent for a hook and tells whether there was one.
func (c Consents) Revoke(r Rule) (bool, error) {
	if list, err := c.List(); err == nil && !slices.ContainsFunc(list, func(known Consent) bool { return known.of(r) }) {
		return false, nil
	}
	gone := false
	err := c.change(func(list []Consent) []Consent {
		return slices.DeleteFunc(list, func(known Consent) bool {
			mine := known.of(r)
			gone = gone || mine
			return mine
		})
	})
	return gone, err
}

func (c Consents) change(edit func([]Consent) []Consent) error {
	lock, err := native.Lock(c.Path() + ".lock")
	if err != nil {
		return err
	}
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", c.Path(), err)
	}
	defer func() { _ = lock.Close() }()
	list, err := c.List()
	if err != nil {
		// Nobody is trusted by it now, so nothing is lost but the words.
		if aside := native.SetAside(c.Path()); aside != nil && !errors.Is(aside, fs.ErrNotExist) {
			return errors.Join(err, aside)
		}
		list = nil
	}
	data, err := json.MarshalIndent(consents{Version: 1, Hooks: edit(list)}, "", "  ")
	if err != nil {
		return err
	}
	if err := native.Replace(c.Path(), append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", c.Path(), err)
	}
	return nil
}
