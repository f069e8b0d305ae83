//go:build !((desktop && production) || dev || bindings)

package main

const windowBuild = false

func runWindow(_ []string) int { return 1 }
