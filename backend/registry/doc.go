// Package registry is what the model may call now: public names, collisions,
// deferred search and the bridge tools, always through policy.
package registry
