package host

// Redact replaces the secrets that this home knows in a text.
func (h *Host) Redact(text string) string { return h.redact(text) }
