package web

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// HasPage tells whether the page is built into the file system.
func HasPage(page fs.FS) bool {
	if page == nil {
		return false
	}
	info, err := fs.Stat(page, "index.html")
	return err == nil && !info.IsDir()
}

// HowToBuild says what to do when HasPage is false.
const HowToBuild = "The page is not built into this program. " +
	"In its source folder run `make page` (Node 20 or newer) and build the program again; " +
	"the command line works without it."

// nonceMark is where index.html wants the nonce of this answer.
const nonceMark = "__CSP_NONCE__"

// kinds are the types of the files a page consists of. The system's own table
// is not asked: on Windows it comes from the registry and may call a script
// plain text.
func kinds(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".woff2":
		return "font/woff2"
	case ".json":
		return "application/json; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}

// policyFor is the content security policy of the page itself: our own scripts,
// our own module, and the styles that carry this answer's nonce.
func policyFor(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"style-src 'self' 'nonce-" + nonce + "'",
		"img-src 'self'",
		"font-src 'self'",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
	}, "; ")
}

// handlePage serves the page's files, or says how to build them.
func (s *Server) handlePage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "the page is read with GET", "")
		return
	}
	if !HasPage(s.options.Page) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(HowToBuild + "\n"))
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	// ReadFile refuses names with "..", and a folder is no file.
	body, err := fs.ReadFile(s.options.Page, name)
	if err != nil || strings.HasPrefix(path.Base(name), ".") {
		refuse(w, http.StatusNotFound, "there is no such file in the page", "")
		return
	}
	h := w.Header()
	h.Set("Content-Type", kinds(name))
	// The names below assets/ carry a hash of the bytes; all others may change.
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if name == "index.html" {
		nonce := rand.Text()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", policyFor(nonce))
		body = bytes.ReplaceAll(body, []byte(nonceMark), []byte(nonce))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
