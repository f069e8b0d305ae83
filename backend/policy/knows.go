package policy

import "slices"

// KnowsTools tells whether every key of a tools block is one that this package
// reads. A block with a foreign key belongs to another program and may restrict
// in words that nobody here understands.
func KnowsTools(tools *Node) bool {
	if tools == nil || !isMapping(tools) || len(tools.Children)%2 != 0 {
		return false
	}
	for i := 0; i < len(tools.Children); i += 2 {
		key := tools.Children[i]
		read := func(name string) bool { return isKey(key, name) }
		if !slices.ContainsFunc([]string{keyInclude, keyExclude, keyResources, keyPrompts}, read) {
			return false
		}
	}
	return true
}
