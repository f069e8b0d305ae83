package web

import (
	"encoding/json"
	"net/http"
	"time"

	"hermes/backend/view"
)

// The codes of view.Error that this package itself answers with, or maps to a
// status.
const (
	codeConflict      = "conflict"
	codeRefused       = "refused"
	codeUnknownServer = "unknown_server"
	codeUsage         = "usage"
	codeFailed        = "failed"
)

// writeLimit bounds one answer or one event on its way to a slow reader.
const writeLimit = 15 * time.Second

// statusOf gives the HTTP status of an error's stable code.
func statusOf(code string) int {
	switch code {
	case codeConflict:
		return http.StatusConflict
	case codeUnknownServer:
		return http.StatusNotFound
	case codeUsage:
		return http.StatusBadRequest
	case codeRefused:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusInternalServerError
	}
}

// writeError answers with the shape that `--json` prints on failure.
func writeError(w http.ResponseWriter, status int, e view.Error) {
	writeJSON(w, status, struct {
		Error view.Error `json:"error"`
	}{e})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status = http.StatusInternalServerError
		body = []byte(`{"error":{"code":"failed","message":"the answer cannot be written as JSON"}}`)
	}
	// The deadline starts here and not at the request: a method may take its time.
	limitWrite(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a reader that went away has nobody to be told
}

// limitWrite bounds the writes that follow. A writer without deadlines (the
// window's asset server, a test's recorder) has no slow reader to fear.
func limitWrite(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
}

func refuse(w http.ResponseWriter, status int, message, hint string) {
	code := codeRefused
	if status == http.StatusBadRequest || status == http.StatusMethodNotAllowed ||
		status == http.StatusUnsupportedMediaType || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusNotFound {
		code = codeUsage
	}
	writeError(w, status, view.Error{Code: code, Message: message, Hint: hint})
}
