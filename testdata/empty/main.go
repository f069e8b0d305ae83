// Command empty is a floor of the benchmarks: a Go program that says its name.
package main

import "os"

func main() {
	if _, err := os.Stdout.WriteString("empty\n"); err != nil {
		os.Exit(1)
	}
}
