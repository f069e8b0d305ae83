package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/backend/config"
)

// formatVersion is the version of manifests this program reads.
const formatVersion = 1

// maxManifest bounds what is read of one manifest.
const maxManifest = 1 << 20

// errFuture marks a manifest of a later version.
var errFuture = errors.New("the manifest is for a newer Hermes")

// Read reads and checks a manifest. The error says the first fault; the manifest
// beside it holds the name as far as it could be read.
func Read(data []byte) (Manifest, error) {
	root, err := parse(data)
	if err != nil {
		return Manifest{}, err
	}
	var first *fault
	f := fields{node: root, fault: &first}
	if version := f.text("manifest_version"); version != strconv.Itoa(formatVersion) {
		if n, err := strconv.Atoi(version); err == nil && n > formatVersion {
			return Manifest{Name: f.text("name")}, errFuture
		}
		return Manifest{Name: f.text("name")}, &fault{line: root.Line, message: "`manifest_version` must be 1"}
	}
	m := Manifest{
		Name: f.text("name"), Description: f.text("description"), Source: f.text("source"),
		PostInstall: f.text("post_install"),
	}
	readTransport(f, &m)
	readAuth(f, &m)
	readTools(f, &m)
	readInstall(f, &m)
	readSuggest(f, &m)
	if first == nil {
		check(f, m)
	}
	if first != nil {
		return m, first
	}
	return m, nil
}

func parse(data []byte) (*yaml.Node, error) {
	if len(data) > maxManifest {
		return nil, &fault{message: fmt.Sprintf("the manifest is larger than %d MiB", maxManifest>>20)}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &fault{message: "the manifest is empty"}
		}
		return nil, &fault{message: "the manifest cannot be read: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &fault{message: "the manifest holds more than one document"}
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, &fault{line: root.Line, message: "the manifest must be a mapping"}
	}
	if f := plain(root, 0); f != nil {
		return nil, f
	}
	return root, nil
}

func readTransport(f fields, m *Manifest) {
	t := f.mapping("transport")
	m.Transport = t.text("type")
	m.Command, m.URL, m.Version = t.text("command"), t.text("url"), t.text("version")
	m.Args, _ = t.list("args")
	m.Env = t.texts("env")
	m.Integrity = t.texts("integrity")
}

func readAuth(f fields, m *Manifest) {
	a := f.mapping("auth")
	m.Auth = Auth{Kind: a.text("type"), Provider: a.text("provider")}
	if m.Auth.Kind == "" {
		m.Auth.Kind = AuthNone
	}
	if n := a.get("scopes"); n != nil && n.Kind == yaml.ScalarNode {
		m.Auth.Scopes = strings.Fields(n.Value)
	} else {
		m.Auth.Scopes, _ = a.list("scopes")
	}
	for _, item := range a.items("env") {
		m.Auth.Env = append(m.Auth.Env, Variable{
			Name: item.text("name"), Prompt: item.text("prompt"), Default: item.text("default"),
			Required: item.flag("required", true), Secret: item.flag("secret", true),
		})
	}
}

func readTools(f fields, m *Manifest) {
	t := f.mapping("tools")
	only, white := t.list("default_enabled")
	except, black := t.list("default_excluded")
	if white && black {
		t.fail(t.node, "`tools` has both default_enabled and default_excluded; only one of them can hold")
	}
	m.Tools = Tools{Stated: white || black, Only: only, Except: except}
	if black && len(except) == 0 {
		t.fail(t.node, "`tools.default_excluded` is empty, which would leave every tool open")
	}
}

func readInstall(f fields, m *Manifest) {
	i := f.mapping("install")
	if i.node == nil {
		return
	}
	if kind := i.text("type"); kind != "git" {
		i.fail(i.node, "`install.type` %q is not known; only git is", kind)
	}
	m.Git = &Git{URL: i.text("url"), Ref: i.text("ref")}
	m.Git.Bootstrap, _ = i.list("bootstrap")
}

func readSuggest(f fields, m *Manifest) {
	s := f.mapping("suggest")
	if s.node == nil {
		return
	}
	for name, into := range map[string]*[]string{"keywords": &m.Keywords, "hosts": &m.Hosts} {
		words, _ := s.list(name)
		for _, word := range words {
			if word = strings.TrimLeft(strings.ToLower(strings.TrimSpace(word)), "."); word != "" {
				*into = append(*into, word)
			}
		}
	}
	if len(m.Keywords)+len(m.Hosts) == 0 {
		s.fail(s.node, "`suggest` has neither keywords nor hosts")
	}
}

// The transports of a manifest are two of the file's.
func isTransport(word string) bool {
	return word == config.TransportStdio || word == config.TransportHTTP
}
