//go:build !bindings

package main

const bindingsRun = false
