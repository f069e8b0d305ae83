// Package loopback is what every listener of ours checks before anything else:
// that its address is for this machine alone, under which Host a request came,
// and which site's page made it.
//
// A browser lets any page send requests to 127.0.0.1 and a name can be made to
// resolve there (DNS rebinding), so an address alone protects nothing.
package loopback
