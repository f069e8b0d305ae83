//go:build (desktop && production) || dev || bindings

package main

import (
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
)

const windowBuild = true

func runWindow(_ []string) int {
	app := &App{}
	if err := wails.Run(&options.App{Title: "Hermes", Bind: []any{app}}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
