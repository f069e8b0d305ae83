package policy

// NewTools makes the value of the key tools for an entry that is written anew:
// a whitelist of the names in only, or, where only is nil and except has names,
// a blacklist of those. With neither it is `include: []`: an entry written by a
// program that does not know what to release is locked, never open. It is not
// for an existing entry, whose rules only Edit may change.
func NewTools(only, except []string) *Node {
	if only == nil && len(except) > 0 {
		return block(keyExclude, listOf(once(except)))
	}
	return block(keyInclude, listOf(once(only)))
}

// once drops repeated names, which the reader would warn of.
func once(names []string) []string {
	out := make([]string, 0, len(names))
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}
