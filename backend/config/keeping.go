package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/backend/policy"
)

// The values of Connection.Protocol.
const (
	// ProtocolAuto asks a server for the newest protocol and goes back to the
	// older handshake where it does not answer.
	ProtocolAuto = "auto"
	// ProtocolModern speaks only the revisions without a handshake (2026-07-28).
	ProtocolModern = "modern"
	// ProtocolLegacy begins with the handshake of 2025-11-25.
	ProtocolLegacy = "legacy"
)

const keyStrict = "strict_redirect_headers"

const (
	defaultKeepalive = 180 * time.Second
	minKeepalive     = 5 * time.Second
)

// TLS says how the certificate of an https server is checked and what we show
// it. Insecure is `ssl_verify: false`; CA is the file of a `ssl_verify` that is a
// path; Cert, Key and Password are of `client_cert` and `client_key`, Key empty
// where one file holds both. All but Insecure are templates.
type TLS struct {
	Insecure                bool
	CA, Cert, Key, Password string
}

// Confinement is the key `folders` of a program: with On it reaches no files
// but those below Folders and what programs need to run (read only). Absent
// means no limit; a present but empty list is On without folders.
type Confinement struct {
	On      bool
	Folders []Folder
}

// Folder is one folder of a Confinement, as a template. Write also allows to
// change what is in it.
type Folder struct {
	Path  string
	Write bool
}

// keeping reads how a session is kept: protocol, liveness, recycling, TLS and
// the folders of a program (hermes-mcp reference 1.1).
func (r *entryReader) keeping(c *Connection) {
	c.Protocol = r.protocol()
	c.Keepalive = max(r.limit("keepalive_interval", defaultKeepalive), minKeepalive)
	c.IdleTimeout = r.recycle("idle_timeout_seconds")
	c.MaxLifetime = r.recycle("max_lifetime_seconds")
	c.TLS = r.tls()
	c.StrictRedirects, _ = r.flag(keyStrict, false)
	if c.StrictRedirects && c.Transport == TransportSSE {
		_, n := pair(r.entry, keyStrict)
		r.fail(n, "remove the key, or `transport: sse`", "`strict_redirect_headers` cannot be kept with the transport `sse`")
	}
	r.identityHeader(c)
	c.Confinement = r.folders()
	if c.Confinement.On && c.Transport != TransportStdio {
		_, n := pair(r.entry, "folders")
		r.fail(n, "remove the key; it limits programs (`command`) only", "`folders` cannot limit this server")
	}
}

func (r *entryReader) protocol() string {
	n := r.setting("protocol")
	switch word := strings.ToLower(scalarText(n)); word {
	case "", "auto":
	case "modern", "stateless", "2026-07-28":
		return ProtocolModern
	case "legacy", "handshake":
		return ProtocolLegacy
	default:
		r.warn(n, "write `protocol: auto`, `modern` or `legacy`", "the protocol %q is not known; auto is used", word)
	}
	return ProtocolAuto
}

// recycle reads a number of seconds after which a program is ended; it may
// stand under `lifecycle`. Zero is never.
func (r *entryReader) recycle(name string) time.Duration {
	n := r.setting(name)
	if isUnset(n) {
		n = at(r.entry, "lifecycle."+name)
	}
	if isUnset(n) {
		return 0
	}
	if f, ok := number(n); ok && f == 0 {
		return 0
	}
	d, ok := seconds(n)
	if !ok {
		r.warn(n, fmt.Sprintf("write `%s: 600`, or 0 for never", name), "`%s` is not a number of seconds and has no effect", name)
	}
	return d
}

func (r *entryReader) tls() TLS {
	var t TLS
	n := r.setting("ssl_verify")
	switch on, ok := boolLike(n); {
	case isUnset(n), ok && on:
	case ok:
		t.Insecure = true
	case n.Kind == policy.KindScalar:
		t.CA = n.Value
	default:
		r.fail(n, "write `ssl_verify: PATH`, `true` or `false`", "`ssl_verify` must be true, false or a path")
	}
	_, n = pair(r.entry, "client_cert")
	switch {
	case isNull(n):
	case n.Kind == policy.KindScalar:
		t.Cert = n.Value
	case n.Kind == policy.KindSequence && len(n.Children) >= 1 && len(n.Children) <= 3 && !slices.ContainsFunc(n.Children, func(c *policy.Node) bool { return !isScalar(c) }):
		for i, into := range []*string{&t.Cert, &t.Key, &t.Password}[:len(n.Children)] {
			*into = n.Children[i].Value
		}
	default:
		r.fail(n, "write `client_cert: FILE` or `[CERT, KEY]` or `[CERT, KEY, PASSWORD]`", "`client_cert` cannot be read")
	}
	if key := r.text("client_key"); key != "" {
		t.Key = key
	}
	return t
}

// folders reads the key of that name. What cannot be read is an error of the
// server: a limit that is not understood must not become no limit.
func (r *entryReader) folders() Confinement {
	slip := r.foldersSlip()
	key, n := pair(r.entry, "folders")
	out := Confinement{On: key != nil || slip}
	if key == nil {
		return out
	}
	const hint = "write `folders: [~/work]`, or `folders:` and below it `- {path: ~/docs, write: false}`"
	if n.Kind != policy.KindSequence {
		r.fail(key, hint, "`folders` must be a list of folders")
		return out
	}
	for _, item := range n.Children {
		folder := Folder{Write: true}
		switch {
		case isScalar(item):
			folder.Path = item.Value
		case item.Kind == policy.KindMapping:
			r.folderKeys(item, hint)
			_, path := pair(item, "path")
			folder.Path = scalarText(path)
			if _, write := pair(item, "write"); write != nil {
				on, ok := boolLike(write)
				if !ok {
					r.fail(write, hint, "`write` of a folder must be true or false")
				}
				folder.Write = on
			}
		}
		if strings.TrimSpace(folder.Path) == "" {
			r.fail(item, hint, "`folders` holds something that is not a path")
			continue
		}
		if !startsFull(folder.Path) {
			r.fail(item, "begin it with / or ~/", "the folder %q in `folders` is not a full path", folder.Path)
			continue
		}
		out.Folders = append(out.Folders, folder)
	}
	return out
}

// foldersSlip refuses a key that was meant to be `folders`: without the limit it
// names, the server would run without any.
func (r *entryReader) foldersSlip() (found bool) {
	if r.entry == nil || r.entry.Kind != policy.KindMapping {
		return false
	}
	for i := 0; i+1 < len(r.entry.Children); i += 2 {
		key := r.entry.Children[i]
		if key.Kind != policy.KindScalar || !isSlip(key.Value, "folders") {
			continue
		}
		found = true
		r.fail(key, "did you mean folders?", "%q is not a key of a server; it is not started without the limit that was meant", key.Value)
	}
	return found
}

// folderKeys refuses what is not understood in an entry of `folders`, such as
// `writ: false`, and a key that stands there twice.
func (r *entryReader) folderKeys(item *policy.Node, hint string) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(item.Children); i += 2 {
		key := item.Children[i]
		name := ""
		if key.Kind == policy.KindScalar {
			name = key.Value
		}
		switch {
		case name != "path" && name != "write":
			r.fail(key, hint, "%q is not a key of a folder in `folders`", name)
		case seen[name]:
			r.fail(key, hint, "`%s` of a folder is written twice", name)
		}
		seen[name] = true
	}
}

// startsFull tells whether a path is a full one, as far as that can be told
// before its variables are filled in.
func startsFull(path string) bool {
	return filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) || strings.HasPrefix(path, "${")
}
