//go:build (desktop && production) || dev || bindings

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"hermes/backend/desk"
	"hermes/backend/view"
	"hermes/backend/web"
)

const windowBuild = true

// runWindow opens the window and returns the exit code.
func runWindow(profile string, page fs.FS) int {
	if bindingsRun {
		return finish(wails.Run(&options.App{Title: "Hermes", Bind: []any{&App{}}}))
	}
	if message := noDisplay(os.Getenv); message != "" {
		fmt.Fprintln(os.Stderr, "hermes: "+message)
		return 1
	}
	d, err := openDesk(desk.Options{Profile: profile, EmbeddedDefault: true})
	if err != nil {
		return finish(err)
	}
	defer d.Close()
	if err := d.Watch(); err != nil {
		return finish(err)
	}
	app := &App{desk: d, choose: func(string) (string, error) { return "", errors.New("the window is not there yet") }}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var relay sync.WaitGroup
	err = wails.Run(&options.App{
		Title: "Hermes", Width: 1280, Height: 820, MinWidth: 720, MinHeight: 520,
		// Tool results can be long: they come through this handler, never
		// through events, which Wails evaluates as scripts.
		AssetServer:    &assetserver.Options{Assets: page, Handler: web.DataHandler(d)},
		Bind:           []any{app},
		ErrorFormatter: func(err error) any { return desk.ErrorView(err) },
		Linux:          &linux.Options{ProgramName: "hermes-desktop"},
		OnStartup: func(window context.Context) {
			app.choose = func(name string) (string, error) { return chooseFile(window, name) }
			relay.Go(func() {
				for signal := range d.Subscribe(ctx) {
					wails_runtime.EventsEmit(window, view.SignalEvent, signal)
				}
			})
		},
		OnShutdown: func(context.Context) { stop() },
	})
	stop()
	relay.Wait()
	return finish(err)
}

// chooseFile shows the desktop's own dialog; a download has no place in the window.
func chooseFile(window context.Context, name string) (string, error) {
	return wails_runtime.SaveFileDialog(window, wails_runtime.SaveDialogOptions{
		DefaultFilename: name, CanCreateDirectories: true,
		Filters: []wails_runtime.FileFilter{{DisplayName: "JSON", Pattern: "*.json"}},
	})
}

func finish(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hermes:", err)
		return 1
	}
	return 0
}

// noDisplay tells why there can be no window here. GTK would end the program
// with a stack trace instead.
func noDisplay(getenv func(string) string) string {
	if runtime.GOOS == "linux" && getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "there is no display here (DISPLAY and WAYLAND_DISPLAY are empty); `hermes serve` shows the same page in a browser"
	}
	return ""
}
