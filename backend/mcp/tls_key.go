package mcp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // read, never written: old keys use it
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // the standard's default
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"hash"
)

// maxIterations bounds the work that a key file may ask for.
const maxIterations = 10_000_000

// encryptedKey is RFC 5958 section 3; schemes and keyDerivation are RFC 8018
// appendix A.
type encryptedKey struct {
	Algorithm pkix.AlgorithmIdentifier
	Data      []byte
}

type schemes struct {
	Derivation, Cipher pkix.AlgorithmIdentifier
}

type keyDerivation struct {
	Salt       []byte
	Iterations int
	Length     int                      `asn1:"optional"`
	Hash       pkix.AlgorithmIdentifier `asn1:"optional"`
}

// decryptPKCS8 takes the password off a key as openssl writes it: PBES2 with
// PBKDF2 and a block cipher in CBC mode.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var sealed encryptedKey
	var both schemes
	var derive keyDerivation
	if _, err := asn1.Unmarshal(der, &sealed); err != nil {
		return nil, errors.New("it cannot be read")
	}
	if sealed.Algorithm.Algorithm.String() != "1.2.840.113549.1.5.13" {
		return nil, errors.New("its encryption is not supported; write it anew with `openssl pkcs8 -topk8 -v2 aes256`")
	}
	if _, err := asn1.Unmarshal(sealed.Algorithm.Parameters.FullBytes, &both); err != nil {
		return nil, errors.New("it cannot be read")
	}
	if both.Derivation.Algorithm.String() != "1.2.840.113549.1.5.12" {
		return nil, errors.New("how its password is used is not supported; write it anew with `openssl pkcs8 -topk8 -v2 aes256`")
	}
	if _, err := asn1.Unmarshal(both.Derivation.Parameters.FullBytes, &derive); err != nil || derive.Iterations < 1 || derive.Iterations > maxIterations {
		return nil, errors.New("it cannot be read")
	}
	mix, err := derivationHash(derive.Hash.Algorithm)
	if err != nil {
		return nil, err
	}
	size, block, err := blockCipher(both.Cipher.Algorithm)
	if err != nil {
		return nil, err
	}
	key, err := pbkdf2.Key(mix, password, derive.Salt, derive.Iterations, size)
	if err != nil {
		return nil, fmt.Errorf("its password cannot be used: %w", err)
	}
	var iv []byte
	if _, err := asn1.Unmarshal(both.Cipher.Parameters.FullBytes, &iv); err != nil {
		return nil, errors.New("it cannot be read")
	}
	return decryptBlocks(block, key, iv, sealed.Data)
}

func derivationHash(oid asn1.ObjectIdentifier) (func() hash.Hash, error) {
	switch oid.String() {
	case "", "1.2.840.113549.2.7":
		return sha1.New, nil
	case "1.2.840.113549.2.8":
		return sha256.New224, nil
	case "1.2.840.113549.2.9":
		return sha256.New, nil
	case "1.2.840.113549.2.10":
		return sha512.New384, nil
	case "1.2.840.113549.2.11":
		return sha512.New, nil
	}
	return nil, fmt.Errorf("its hash %s is not supported", oid)
}

func blockCipher(oid asn1.ObjectIdentifier) (size int, block func([]byte) (cipher.Block, error), err error) {
	switch oid.String() {
	case "2.16.840.1.101.3.4.1.2":
		return 16, aes.NewCipher, nil
	case "2.16.840.1.101.3.4.1.22":
		return 24, aes.NewCipher, nil
	case "2.16.840.1.101.3.4.1.42":
		return 32, aes.NewCipher, nil
	case "1.2.840.113549.3.7":
		return 24, des.NewTripleDESCipher, nil
	}
	return 0, nil, fmt.Errorf("its cipher %s is not supported", oid)
}

// decryptBlocks checks the padding and that a key came out: a wrong password
// shows in both.
func decryptBlocks(block func([]byte) (cipher.Block, error), key, iv, data []byte) ([]byte, error) {
	b, err := block(key)
	if err != nil || len(iv) != b.BlockSize() || len(data) == 0 || len(data)%b.BlockSize() != 0 {
		return nil, errors.New("it cannot be read")
	}
	plain := make([]byte, len(data))
	cipher.NewCBCDecrypter(b, iv).CryptBlocks(plain, data)
	pad := int(plain[len(plain)-1])
	if pad < 1 || pad > b.BlockSize() {
		return nil, errors.New("the password is wrong")
	}
	plain = plain[:len(plain)-pad]
	if _, err := x509.ParsePKCS8PrivateKey(plain); err != nil {
		return nil, errors.New("the password is wrong")
	}
	return plain, nil
}
