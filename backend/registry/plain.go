package registry

// PlainName is the name Hermes Agent gives a tool, without our suffixes: what a
// hook or an approval of a shared file may have been written for.
func PlainName(server, tool string) string {
	return namePrefix + sanitize(server) + nameJoin + sanitize(tool)
}
