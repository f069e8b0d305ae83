// Package connector calls tools behind a connectors gateway over HTTP
// (docs/CONNECTORS.md).
package connector
