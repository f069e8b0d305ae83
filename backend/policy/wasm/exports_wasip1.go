//go:build wasip1

package main

import "unsafe"

// state is the module's memory. Exported functions have no receiver, the host
// runs one of them at a time, and nothing else in the program exists here.
var state = new(module)

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func pointer(b []byte) uint32 {
	if len(b) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// input returns where to write at least size bytes, 0 where that is too much.
//
//go:wasmexport input
func input(size uint32) uint32 { return pointer(state.buffer(size)) }

// output returns where the last record stands.
//
//go:wasmexport output
func output() uint32 { return pointer(state.output) }

//go:wasmexport read
func read(size uint32) uint32 { return state.read(size) }

//go:wasmexport drop
func drop(h uint32) { state.drop(h) }

//go:wasmexport tools
func tools(h, size uint32) uint32 { return bit(state.setTools(h, size)) }

//go:wasmexport allowed
func allowed(h, index uint32) uint32 { return bit(state.allowed(h, index)) }

//go:wasmexport allows
func allows(h, size uint32) uint32 { return bit(state.allows(h, size)) }

//go:wasmexport special
func special(h, which uint32) uint32 { return bit(state.specialAllowed(h, which)) }

//go:wasmexport summary
func summary(h uint32) uint32 { return state.summary(h) }

//go:wasmexport verdict
func verdict(h, index uint32) uint32 { return state.verdict(h, index) }

//go:wasmexport verdict_of
func verdictOf(h, size uint32) uint32 { return state.verdictOf(h, size) }

//go:wasmexport special_verdict
func specialVerdict(h, which uint32) uint32 { return state.specialVerdict(h, which) }

//go:wasmexport words
func words(h, surface uint32) uint32 { return state.words(h, surface) }

//go:wasmexport count
func count(h uint32) uint32 { return state.count(h) }

//go:wasmexport preview
func preview(h, action, expand, size uint32) uint32 { return state.preview(h, action, expand, size) }

//go:wasmexport codes
func codes() uint32 { return state.codes() }
