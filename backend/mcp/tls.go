package mcp

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hermes/backend/config"
)

// keyError is a fault of one key of an entry: with its place it names the line.
type keyError struct{ key, reason, hint string }

func (e *keyError) Error() string { return "`" + e.key + "`: " + e.reason }

// placed is the error with the line of its key. It lasts until the file or the
// entry changes.
func (e *keyError) placed(w want) error {
	text := e.Error()
	if w.place != nil {
		text += w.place(e.key)
	}
	return &connectError{reason: text + "; " + e.hint, lasting: true}
}

const (
	keyVerify = "ssl_verify"
	keyCert   = "client_cert"
	keyKey    = "client_key"
)

// tlsConfig is how a server's certificate is checked and which one it is shown,
// nil for the usual way. The files are read anew for every session.
func tlsConfig(t config.TLS) (*tls.Config, error) {
	if t == (config.TLS{}) {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.Insecure} //nolint:gosec // the entry says `ssl_verify: false`
	if t.CA != "" {
		text, err := keyFile(keyVerify, t.CA)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(text) {
			return nil, &keyError{keyVerify, fmt.Sprintf("the file %q holds no certificate", t.CA), "name a file with certificates in PEM form"}
		}
	}
	if t.Cert == "" {
		if t.Key != "" {
			return nil, &keyError{keyKey, "there is a key but no certificate", "write `client_cert: FILE` as well"}
		}
		return out, nil
	}
	pair, err := clientPair(t)
	if err != nil {
		return nil, err
	}
	out.Certificates = []tls.Certificate{pair}
	return out, nil
}

// clientPair reads the certificate we show, and its key from a file of its own
// or from the same one.
func clientPair(t config.TLS) (tls.Certificate, error) {
	cert, err := keyFile(keyCert, t.Cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, named, file := cert, keyCert, t.Cert
	if t.Key != "" {
		named, file = keyKey, t.Key
		if key, err = keyFile(keyKey, t.Key); err != nil {
			return tls.Certificate{}, err
		}
	}
	if key, err = openKey(key, t.Password); err != nil {
		return tls.Certificate{}, &keyError{named, fmt.Sprintf("the key in %q cannot be used: %v", file, err), "correct the file, or the password in `client_cert: [CERT, KEY, PASSWORD]`"}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, &keyError{keyCert, fmt.Sprintf("the certificate in %q and its key cannot be used: %v", t.Cert, err), "name a certificate and the key that belongs to it, in PEM form"}
	}
	return pair, nil
}

func keyFile(key, path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &keyError{key, fmt.Sprintf("the file %q is not there", path), "correct the path"}
	case errors.Is(err, fs.ErrPermission):
		return nil, &keyError{key, fmt.Sprintf("the file %q may not be read", path), "let your account read it"}
	}
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = fault.Err
	}
	return nil, &keyError{key, fmt.Sprintf("the file %q cannot be read: %v", path, err), "name a file"}
}

// openKey finds the first private key and takes a password off it.
func openKey(text []byte, password string) ([]byte, error) {
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("there is none")
		}
		switch block.Type {
		case "ENCRYPTED PRIVATE KEY":
			if password == "" {
				return nil, errors.New("it needs a password")
			}
			plain, err := decryptPKCS8(block.Bytes, password)
			if err != nil {
				return nil, err
			}
			return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}), nil
		case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
			return openOlderKey(block, password)
		}
	}
}

// openOlderKey reads the form in which the PEM headers tell the cipher. It is
// deprecated for new keys, and old ones are still about.
func openOlderKey(block *pem.Block, password string) ([]byte, error) {
	if !x509.IsEncryptedPEMBlock(block) { //nolint:staticcheck // read, never written
		return pem.EncodeToMemory(block), nil
	}
	if password == "" {
		return nil, errors.New("it needs a password")
	}
	plain, err := x509.DecryptPEMBlock(block, []byte(password)) //nolint:staticcheck // read, never written
	if err != nil {
		return nil, errors.New("the password is wrong")
	}
	return pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: plain}), nil
}
