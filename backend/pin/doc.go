// Package pin remembers every server's tool definitions as first seen, and says
// what changed.
//
// A tool's description is read by a model as if a person had written it. A
// server that changes it after it was approved changes what the agent does, so
// a changed definition is not in force until a person has seen the difference
// and accepted it. The same store is the cache of tool lists: what a server
// offered last, so that it can be shown, and waited for, without starting it.
//
// The package knows nothing of rules: what it remembers is all a server offers,
// and whoever reads it asks the policy about each tool, every time.
package pin
