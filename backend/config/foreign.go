package config

import "hermes/backend/policy"

// What people who move entries between programs need to know of secrets, so
// that there is one opinion about what one looks like.

// NamesSecret tells a name that says its value is a secret.
func NamesSecret(name string) bool { return namesSecret(name) }

// LooksSecret tells a value with the look of a vendor's key.
func LooksSecret(value string) bool { return isKey(value) }

// MaskArgs gives arguments as a listing shows them: secrets are ***.
func MaskArgs(args []string) []string { return maskArgs(args) }

// MaskURL gives an address as a listing shows it.
func MaskURL(address string) string { return maskURL(address) }

// Variable gives the value that ${name} stands for, from `.env` or the
// environment. It is for comparing; it must not be shown.
func (s *Snapshot) Variable(name string) (string, bool) { return s.scope.variable(name) }

// Render gives `name: value` as an edit writes it into the file, for previews.
func Render(name string, value *policy.Node) (string, error) {
	return renderPair(name, value, "", "  ", "\n")
}
