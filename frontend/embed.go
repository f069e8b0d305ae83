// Package frontend carries the built page inside the program.
package frontend

import "embed"

// Dist is the page as `make page` builds it into frontend/dist. On a clone
// without Node it holds no index.html, and `hermes serve` says how to build it.
//
//go:embed all:dist
var Dist embed.FS
