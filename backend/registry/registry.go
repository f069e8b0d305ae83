package registry

import "sync/atomic"

// Registry holds the catalogue in force. Readers take one pointer and keep it
// for as long as they need it; a reload swaps it. The zero value offers nothing.
type Registry struct{ current atomic.Pointer[Catalog] }

// Swap puts a catalogue in force.
func (r *Registry) Swap(c *Catalog) { r.current.Store(c) }

// Current is the catalogue in force, never nil.
func (r *Registry) Current() *Catalog {
	if c := r.current.Load(); c != nil {
		return c
	}
	return &Catalog{}
}
