package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"sync"
	"time"
)

const (
	// tokenHeader carries this run's token; a header of our own also makes every
	// cross-origin use a preflight, which is never answered.
	tokenHeader = "X-Hermes-Token"
	// guesses is how many wrong tickets or passwords are heard in one window.
	guesses     = 10
	guessWindow = time.Minute
	// openTickets bounds the tickets that were given out and not used.
	openTickets = 32
)

// keys holds the secrets of one run: its token, the tickets that may be
// exchanged for it once each, and the digest of the password.
type keys struct {
	token    string
	password *[sha256.Size]byte
	now      func() time.Time

	mu      sync.Mutex
	tickets [][sha256.Size]byte
	wrong   int
	since   time.Time
}

func newKeys(password string, now func() time.Time) *keys {
	k := &keys{token: rand.Text(), now: now}
	if password != "" {
		sum := sha256.Sum256([]byte(password))
		k.password = &sum
	}
	return k
}

// ticket gives out a new one-use ticket. The oldest unused one is forgotten when
// there are too many.
func (k *keys) ticket() string {
	text := rand.Text()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tickets = append(k.tickets, sha256.Sum256([]byte(text)))
	if len(k.tickets) > openTickets {
		k.tickets = k.tickets[1:]
	}
	return text
}

// holds tells whether a request carries this run's token.
func (k *keys) holds(r *http.Request) bool {
	got := sha256.Sum256([]byte(r.Header.Get(tokenHeader)))
	want := sha256.Sum256([]byte(k.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

type exchange int

const (
	exchangeWrong exchange = iota
	exchangeTooMany
	exchangeGood
)

// redeem takes a ticket or a password. A ticket is worth nothing where a
// password is asked for, and each ticket is good once.
func (k *keys) redeem(ticket, password string) exchange {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if now.Sub(k.since) > guessWindow {
		k.since, k.wrong = now, 0
	}
	if k.wrong >= guesses {
		return exchangeTooMany
	}
	if k.matches(ticket, password) {
		return exchangeGood
	}
	k.wrong++
	return exchangeWrong
}

func (k *keys) matches(ticket, password string) bool {
	if k.password != nil {
		got := sha256.Sum256([]byte(password))
		return subtle.ConstantTimeCompare(got[:], k.password[:]) == 1
	}
	got := sha256.Sum256([]byte(ticket))
	for i := range k.tickets {
		if subtle.ConstantTimeCompare(got[:], k.tickets[i][:]) == 1 {
			k.tickets = append(k.tickets[:i], k.tickets[i+1:]...)
			return true
		}
	}
	return false
}

// handleSession serves POST /api/session: a ticket or password in, the token
// out.
func (s *Server) handleSession(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Ticket   string `json:"ticket"`
		Password string `json:"password"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	switch s.keys.redeem(in.Ticket, in.Password) {
	case exchangeGood:
		writeJSON(w, http.StatusOK, map[string]string{"token": s.keys.token})
	case exchangeTooMany:
		refuse(w, http.StatusTooManyRequests, "too many wrong attempts", "Wait a minute, then try again.")
	default:
		message, hint := "this address was used already or belongs to another run",
			"Open the address that `hermes serve` printed last, or start it again."
		if s.keys.password != nil {
			message, hint = "the password is wrong", ""
		}
		refuse(w, http.StatusUnauthorized, message, hint)
	}
}

// handleEntry serves GET /api/session: what a visitor has to show. It tells
// nothing else.
func (s *Server) handleEntry(w http.ResponseWriter, _ *http.Request) {
	needs := "ticket"
	if s.keys.password != nil {
		needs = "password"
	}
	writeJSON(w, http.StatusOK, map[string]string{"needs": needs})
}
