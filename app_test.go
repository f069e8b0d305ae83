package main

import (
	"errors"
	"testing"
)

// TestSaveAsks: without a window nothing is saved, a person who chooses nothing has
// nothing saved, and the dialog's error is told.
func TestSaveAsks(t *testing.T) {
	if done, err := (&App{}).SaveSession("s"); done || err == nil {
		t.Error("saved without a window")
	}
	asked := ""
	app := &App{choose: func(name string) (string, error) { asked = name; return "", nil }}
	if done, err := app.SaveSession("s1"); done || err != nil || asked != "hermes-s1.json" {
		t.Errorf("%v %v, asked for %q", done, err, asked)
	}
	app.choose = func(string) (string, error) { return "", errors.New("no dialog") }
	if done, err := app.SaveSession("s1"); done || err == nil {
		t.Error("the dialog's error is not told")
	}
}
