//go:build bindings

package main

const bindingsRun = true
