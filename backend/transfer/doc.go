// Package transfer moves server entries in from other MCP hosts and out to
// them, by meaning: an empty list is "all" for one host and "none" for the
// next, and whatever cannot be said in the other's words is refused, never
// written wider.
//
// What each host means (read from its source or documentation; the test
// TestMeaning runs every cell):
//
//	host         key missing   empty list   list      deny list          both               disabled
//	claude       all           -            -         -                  -                  -
//	claude-code  all           -            -         permissions.deny   -                  disabledMcpServers
//	codex        all           none         only      all but            list without deny  enabled = false
//	gemini       all           none (code)  only      all but            list without deny  mcp.excluded, mcp.allowed
//	goose        all           all          only      -                  -                  enabled: false
//	cursor       all           -            -         -                  -                  disabled
//	vscode       all           -            -         -                  -                  disabled
//	opencode     all           -            globs     globs              last match wins    enabled: false
//	docker       all           none         only      -                  -                  not in registry.yaml
//	json         all           none (safe)  only      all but            list without deny  disabled, enabled
//
// A list of our own whitelist also closes the helpers for resources and
// prompts, which other hosts leave open: narrower, and said in a note.
package transfer
