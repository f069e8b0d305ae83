package config

import (
	"context"

	"hermes/backend/policy"
)

// StepKind says what a Step wants.
type StepKind string

const (
	// StepSet wants Value at Path; parents that are missing are made.
	StepSet StepKind = "set"
	// StepDelete wants the last key of Path gone. The last key of a mapping
	// leaves `{}`, because a file or a key without content is another thing.
	StepDelete StepKind = "delete"
	// StepInsertItem wants Value in the list at Path, which is made where it is
	// missing; a new item comes last.
	StepInsertItem StepKind = "insert"
	// StepRemoveItem wants no item with Value's text in the list at Path.
	StepRemoveItem StepKind = "remove"
)

// Step is one wanted result at a path of keys from the top of the file, such as
// {"mcp_servers", "demo", "timeout"}. Value is a tree without places, made by
// Value, Text, List or Map, or a part of a parsed file, of which anchors and
// places are left behind.
type Step struct {
	Kind  StepKind
	Path  []string
	Value *policy.Node
}

// Change is several steps made in one write, one after the other. Seen is the
// revision a person looked at, as in Edit.
type Change struct {
	Steps []Step
	Seen  string
}

// Change brings the file to what the steps want, with the care of Apply: a
// shared lock, compare and swap, only the bytes of what changes, a proof that
// the result parses and is the old tree but for the paths of the steps, and
// that every other server's rules are what they were. A setting that is a
// mapping replaces a mapping key by key, so that what stays keeps its place and
// its comments. A file that is not there is made, readable by its owner alone;
// so is the folder of the home. It gives no grant: a restriction that goes this
// way is lost from outside (FILTER section 6).
//
// The error is a *Conflict, a *Refused, the context's error, or a failure of the
// disk; the file is untouched then.
func (f *File) Change(ctx context.Context, c Change) (Result, error) {
	return f.edit(ctx, attempt{
		seen:   c.Seen,
		create: true,
		plan:   func(doc *document) (*document, error) { return planChange(f.home.Config(), doc, c.Steps) },
	})
}
