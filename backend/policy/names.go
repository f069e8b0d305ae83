package policy

// Names returns the plain names, those without wildcards, of the list that
// decides, in file order: what a surface shows beside the tools it has seen.
func (r Rules) Names() []string {
	names := []string{}
	for _, pattern := range r.Patterns() {
		if pattern != "" && !isGlob(pattern) {
			names = append(names, pattern)
		}
	}
	return names
}
