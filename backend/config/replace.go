package config

import (
	"context"

	"hermes/backend/policy"
)

// Replace puts whole new content in place of the file that had the revision
// seen, empty for a file that is not there, with the care of Apply. It may mend
// a file that cannot be read; content that cannot be read is never written. It
// gives no grant (FILTER section 6).
//
// The error is a *Conflict, a *Refused with the place of the fault, the
// context's error, or a failure of the disk.
func (f *File) Replace(ctx context.Context, seen string, data []byte) (Result, error) {
	return f.edit(ctx, attempt{
		seen:   seen,
		strict: true,
		create: true,
		mend:   true,
		plan: func(doc *document) (*document, error) {
			if string(doc.data) == string(data) {
				return nil, nil
			}
			after, err := parse(data)
			if err != nil {
				p := parseProblem(f.home.Config(), err)
				return nil, &Refused{Message: "nothing was written: " + p.Message, Hint: p.Hint, File: p.File, Line: p.Line, Column: p.Column, Cause: err}
			}
			return after, nil
		},
	})
}

// Stands looks at the disk and tells whether the file gives the value at a path,
// nil for none: what a person is told to be saved was read back.
func (f *File) Stands(path []string, value *policy.Node) bool {
	data, err := readBounded(f.home.Config())
	if err != nil {
		return false
	}
	tree, err := Tree(data)
	if err != nil {
		return false
	}
	now := Lookup(tree, path)
	if now == nil || value == nil {
		return now == value
	}
	return sameValue(now, value)
}
