package amazon

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// signOn is a sign-in of `aws sso login` as its cache file holds it.
type signOn struct {
	path   string
	fields map[string]json.RawMessage
}

func (s signOn) text(key string) string {
	var out string
	if json.Unmarshal(s.fields[key], &out) != nil {
		return ""
	}
	return out
}

func (s signOn) ends() time.Time {
	at, err := time.Parse(time.RFC3339, s.text("expiresAt"))
	if err != nil {
		return time.Time{}
	}
	return at
}

// singleSignOn gives the credentials of a profile of `aws configure sso`. It
// never opens a browser: where the sign-in has ended the error names the
// command.
func (a *Account) singleSignOn(ctx context.Context, name string, p map[string]string) (aws.Credentials, error) {
	login := &Error{
		Message: fmt.Sprintf("the sign-in of the AWS profile %q has ended", name),
		Hint:    "run `aws sso login --profile " + name + "`",
	}
	region, start, cached := p["sso_region"], p["sso_start_url"], p["sso_start_url"]
	if session := p["sso_session"]; session != "" {
		section, err := a.session(session)
		if err != nil {
			return aws.Credentials{}, err
		}
		region, start, cached = section["sso_region"], section["sso_start_url"], session
	}
	if region == "" || start == "" || p["sso_account_id"] == "" || p["sso_role_name"] == "" || !regionPattern().MatchString(region) {
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the AWS profile %q has no complete sign-in (sso_start_url, sso_region, sso_account_id, sso_role_name)", name),
			Hint:    "run `aws configure sso --profile " + name + "`",
		}
	}
	token, err := a.signOn(cached)
	if err != nil {
		login.err = err
		return aws.Credentials{}, login
	}
	if time.Until(token.ends()) < early && p["sso_session"] != "" {
		if token, err = a.renew(ctx, token, region); err != nil {
			login.err = err
		}
	}
	if time.Until(token.ends()) <= 0 || token.text("accessToken") == "" {
		return aws.Credentials{}, login
	}
	return a.roleOf(ctx, token.text("accessToken"), region, p, login)
}

// signOn reads the cache file of `aws sso login`.
func (a *Account) signOn(name string) (signOn, error) {
	home := a.home()
	if home == "" {
		return signOn{}, errors.New("there is no home folder")
	}
	sum := sha1.Sum([]byte(name)) // the name Amazon's programs give the file, not a proof
	s := signOn{path: filepath.Join(home, ".aws", "sso", "cache", hex.EncodeToString(sum[:])+".json")}
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return signOn{}, err
	}
	if err := json.Unmarshal(raw, &s.fields); err != nil {
		return signOn{}, errors.New("the file of the sign-in is not JSON") // the decoder's words may quote it
	}
	return s, nil
}

// renew asks for a new token and puts it where it was found, as every program
// of Amazon does: the old one may not be used twice.
func (a *Account) renew(ctx context.Context, old signOn, region string) (signOn, error) {
	if old.text("refreshToken") == "" || old.text("clientId") == "" || old.text("clientSecret") == "" {
		return old, errors.New("it cannot be renewed")
	}
	body, err := json.Marshal(map[string]string{
		"clientId": old.text("clientId"), "clientSecret": old.text("clientSecret"),
		"grantType": "refresh_token", "refreshToken": old.text("refreshToken"),
	})
	if err != nil {
		return old, err
	}
	ctx, cancel := context.WithTimeout(ctx, farTime)
	defer cancel()
	base := a.Address("oidc", "SSO_OIDC", region)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/token", bytes.NewReader(body))
	if err != nil {
		return old, err
	}
	req.Header.Set("Content-Type", "application/json")
	raw, err := fetch(a.client, req)
	if err != nil {
		return old, err
	}
	var answer struct {
		AccessToken, RefreshToken string
		ExpiresIn                 int
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.AccessToken == "" {
		return old, errors.New("the answer holds no token")
	}
	fresh := signOn{path: old.path, fields: map[string]json.RawMessage{}}
	for key, value := range old.fields {
		fresh.fields[key] = value
	}
	set := func(key, value string) { fresh.fields[key], _ = json.Marshal(value) } // a string always encodes
	set("accessToken", answer.AccessToken)
	set("expiresAt", time.Now().Add(time.Duration(answer.ExpiresIn)*time.Second).UTC().Format(time.RFC3339))
	if answer.RefreshToken != "" {
		set("refreshToken", answer.RefreshToken)
	}
	return fresh, fresh.save()
}

// save replaces the cache file in one step.
func (s signOn) save() error {
	raw, err := json.Marshal(s.fields)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".hermes-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}

// roleOf exchanges the token of a sign-in for a role's credentials.
func (a *Account) roleOf(ctx context.Context, token, region string, p map[string]string, login *Error) (aws.Credentials, error) {
	base := a.Address("portal.sso", "SSO", region)
	query := url.Values{"account_id": {p["sso_account_id"]}, "role_name": {p["sso_role_name"]}}
	ctx, cancel := context.WithTimeout(ctx, farTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/federation/credentials?"+query.Encode(), nil)
	if err != nil {
		return aws.Credentials{}, err
	}
	req.Header.Set("X-Amz-Sso_bearer_token", token)
	raw, err := fetch(a.client, req)
	var refused *statusError
	switch {
	case errors.As(err, &refused) && refused.status == http.StatusUnauthorized:
		return aws.Credentials{}, login
	case err != nil:
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the sign-in gave no credentials for the role %s in the account %s: %s", p["sso_role_name"], p["sso_account_id"], plain(err)),
			Hint:    "check that you have this role, and the network",
			err:     err,
		}
	}
	var answer struct {
		RoleCredentials struct {
			AccessKeyID     string `json:"accessKeyId"`
			SecretAccessKey string `json:"secretAccessKey"`
			SessionToken    string `json:"sessionToken"`
			Expiration      int64  `json:"expiration"` // milliseconds
		} `json:"roleCredentials"`
	}
	_ = json.Unmarshal(raw, &answer) // what cannot be read holds no keys
	got := answer.RoleCredentials
	creds := keys{AccessKeyID: got.AccessKeyID, SecretAccessKey: got.SecretAccessKey, SessionToken: got.SessionToken, Expiration: time.UnixMilli(got.Expiration).UTC()}.credentials()
	if !creds.HasKeys() {
		return aws.Credentials{}, &Error{Message: "the answer of the sign-in holds no credentials", Hint: login.Hint}
	}
	return creds, nil
}
