package web

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"time"
)

// DataHandler serves large data under /data/, the same in the window (where it
// is the asset server's handler) and over HTTP: GET
// /data/results/<session>/<call> is the whole of one tool result as text. What a
// tool returned is never served as anything a browser would run.
func DataHandler(results Results) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /data/results/{session}/{call}", func(w http.ResponseWriter, r *http.Request) {
		body, err := results.Result(r.Context(), r.PathValue("session"), r.PathValue("call"))
		if errors.Is(err, fs.ErrNotExist) {
			refuse(w, http.StatusNotFound, "there is no such result", "")
			return
		}
		if err != nil {
			refuse(w, http.StatusInternalServerError, "the result cannot be read", "The program's log says why.")
			return
		}
		limitWrite(w)
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="result.txt"`)
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
	return mux
}
