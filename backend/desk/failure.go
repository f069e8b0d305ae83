package desk

import (
	"context"
	"errors"

	"hermes/backend/config"
	"hermes/backend/view"
)

// Failure is an error that already knows what people are shown.
type Failure struct {
	View  view.Error
	Cause error
}

// Fail makes a Failure.
func Fail(shown view.Error, cause error) error { return &Failure{View: shown, Cause: cause} }

func (f *Failure) Error() string { return f.View.Message }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// ErrorView turns any error into what people are shown: what happened, where,
// what to do next.
func ErrorView(err error) view.Error {
	var failure *Failure
	var conflict *config.Conflict
	var refused *config.Refused
	switch {
	case err == nil:
		return view.Error{}
	case errors.As(err, &failure):
		return failure.View
	case errors.As(err, &conflict):
		return view.Error{Code: "conflict", Message: conflict.Error(), Hint: "look at the file as it is now and state the wanted result again"}
	case errors.As(err, &refused):
		return view.Error{Code: "refused", Message: refused.Message, Hint: refused.Hint, File: refused.File, Line: refused.Line, Column: refused.Column}
	case errors.Is(err, context.Canceled):
		return view.Error{Code: "failed", Message: "interrupted"}
	}
	return view.Error{Code: "failed", Message: err.Error()}
}
