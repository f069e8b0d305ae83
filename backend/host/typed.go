package host

// Redact replaces the secrets that this home knows in a text.
func (h *Host) Redact(text string) string { return h.redact(text) }

// MaskKnown takes out secrets that are known to be some, for what a person decides
// about: what merely looks like a secret stays.
func (h *Host) MaskKnown(text string) string { return h.maskKnown(text) }
