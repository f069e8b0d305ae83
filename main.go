// Command hermes is the command line, and in the window build the window.
package main

import "os"

func main() {
	if bindingsRun {
		os.Exit(runWindow(nil))
	}
}
