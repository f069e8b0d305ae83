// Command wasm is the policy core as a WebAssembly module for the page: a tree
// is parsed once to a handle, and verdicts are asked by handle and index.
//
// It is built as a WASI reactor (GOOS=wasip1 GOARCH=wasm, -buildmode=c-shared)
// and served as /policy.wasm. The calls are listed in exports_wasip1.go, the
// records they write in record.go; frontend/src/policy is their other side.
package main

// main is never called: a reactor is initialised and then asked.
func main() {}
