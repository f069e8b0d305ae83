// Package store keeps sessions, call states, approvals and audit in one SQLite
// file; a turn is durable before anything runs.
package store
