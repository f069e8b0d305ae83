package amazon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Error is why an account cannot be used, in words for people. It holds no key.
type Error struct {
	Message, Hint string
	err           error
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.err }

// Options say where an account is looked for.
type Options struct {
	// Variable looks up a variable of the environment; nil reads the process's.
	Variable func(name string) (string, bool)
	// Region is the one the file names; it beats the environment and profiles.
	Region string
	// Key is a bearer token (AWS_BEARER_TOKEN_BEDROCK). Requests then carry it
	// and no signature, and no credentials are looked for.
	Key string
	// Client sends the requests for credentials; nil uses an own one.
	Client *http.Client
}

// early is how long before their end credentials count as expired: a request
// has to arrive with them.
const early = time.Minute

// Account is an Amazon account. Nothing is read before the first call. It is
// safe for concurrent use.
type Account struct {
	variable func(string) (string, bool)
	region   string
	key      string
	client   *http.Client
	signer   *v4.Signer

	mu     sync.Mutex
	held   aws.Credentials
	known  bool
	source string // where held comes from, in words
}

// Open returns the account the options describe. Faults are reported by Region
// and Sign.
func Open(o Options) *Account {
	a := &Account{variable: o.Variable, region: o.Region, key: o.Key, client: o.Client, signer: v4.NewSigner()}
	if a.variable == nil {
		a.variable = os.LookupEnv
	}
	if a.client == nil {
		a.client = &http.Client{}
		if t, ok := http.DefaultTransport.(*http.Transport); ok {
			a.client.Transport = t.Clone()
		}
	}
	return a
}

// Close lets go of idle connections.
func (a *Account) Close() { a.client.CloseIdleConnections() }

// env is a variable's value, "" where it is not set.
func (a *Account) env(name string) string {
	value, _ := a.variable(name)
	return value
}

// Profile is the name of the profile in use.
func (a *Account) Profile() string {
	for _, name := range []string{"AWS_PROFILE", "AWS_DEFAULT_PROFILE"} {
		if value := a.env(name); value != "" {
			return value
		}
	}
	return "default"
}

// UsesKey tells whether requests carry a bearer token.
func (a *Account) UsesKey() bool { return a.key != "" }

func regionPattern() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-\d+$`) }

// Region is the region of the account: of the file, of AWS_REGION or
// AWS_DEFAULT_REGION, of the profile. None is an error: a conversation must not
// go to a country nobody chose.
func (a *Account) Region() (string, error) {
	region, from := a.region, "model.region"
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region == "" {
			region, from = a.env(name), name
		}
	}
	if region == "" {
		profile, err := a.profile(a.Profile())
		if err != nil {
			return "", err
		}
		region, from = profile["region"], "the profile "+a.Profile()
	}
	if region == "" {
		return "", &Error{
			Message: "no AWS region is chosen",
			Hint:    "write `region: us-east-1` (the one that has the model) under `model:` or set AWS_REGION",
		}
	}
	if !regionPattern().MatchString(region) {
		return "", &Error{
			Message: fmt.Sprintf("%q is not an AWS region", region),
			Hint:    "write one like us-east-1 or eu-central-1 in " + from,
		}
	}
	return region, nil
}

// Sign puts the account's proof on a request: the bearer token, or a signature
// (version 4) over its headers and its body.
func (a *Account) Sign(ctx context.Context, req *http.Request, body []byte, service, region string) error {
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
		return nil
	}
	creds, err := a.credentials(ctx)
	if err != nil {
		return err
	}
	return a.signWith(ctx, creds, req, body, service, region)
}

func (a *Account) signWith(ctx context.Context, creds aws.Credentials, req *http.Request, body []byte, service, region string) error {
	sum := sha256.Sum256(body)
	return a.signer.SignHTTP(ctx, creds, req, hex.EncodeToString(sum[:]), service, region, time.Now())
}

// credentials gives those in hand while they last.
func (a *Account) credentials(ctx context.Context) (aws.Credentials, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known && !(a.held.CanExpire && time.Until(a.held.Expires) < early) {
		return a.held, nil
	}
	fresh, source, err := a.find(ctx)
	if err != nil {
		return aws.Credentials{}, err
	}
	if fresh.CanExpire && time.Until(fresh.Expires) <= 0 {
		return aws.Credentials{}, &Error{Message: "the AWS credentials of " + source + " have expired", Hint: a.renewal()}
	}
	a.held, a.known, a.source = fresh, true, source
	return fresh, nil
}

// Forget drops the credentials in hand, so that the next request looks for
// them again. It reports false where looking again cannot give others.
func (a *Account) Forget() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	renews := a.known && a.held.CanExpire
	a.known, a.held = false, aws.Credentials{}
	return renews
}

// Source says in words where the credentials in hand come from.
func (a *Account) Source() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.key != "":
		return "AWS_BEARER_TOKEN_BEDROCK or model.api_key"
	case a.source == "":
		return "the AWS account"
	}
	return a.source
}

// renewal is what a person does about expired credentials.
func (a *Account) renewal() string {
	if a.key != "" {
		return "put a new key into AWS_BEARER_TOKEN_BEDROCK"
	}
	profile := a.Profile()
	if p, err := a.profile(profile); err == nil && (p["sso_session"] != "" || p["sso_start_url"] != "") {
		return "run `aws sso login --profile " + profile + "`"
	}
	return "get new ones (for example `aws sso login`) or set new AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
}

// Renewal is what a person does about credentials that have expired.
func (a *Account) Renewal() string { return a.renewal() }

// Redact takes everything secret of the account out of a text.
func (a *Account) Redact(s string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, secret := range []string{a.key, a.held.SecretAccessKey, a.held.SessionToken, a.held.AccessKeyID} {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "[key]")
		}
	}
	return s
}

// home is the person's home folder, "" where there is none.
func (a *Account) home() string {
	if home := a.env("HOME"); home != "" {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// file is the path of one of the shared files.
func (a *Account) file(variable, name string) string {
	if path := a.env(variable); path != "" {
		return path
	}
	home := a.home()
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".aws", name)
}

// RegionOf is the region an ARN belongs to, "" for anything else.
func RegionOf(arn string) string {
	part := strings.SplitN(arn, ":", 6)
	if len(part) < 6 || part[0] != "arn" || !regionPattern().MatchString(part[3]) {
		return ""
	}
	return part[3]
}

// Address is where a service of a region is reached: host is its public name,
// variable how the environment calls it.
func (a *Account) Address(host, variable, region string) string {
	if set := first(a.env("AWS_ENDPOINT_URL_"+variable), a.env("AWS_ENDPOINT_URL")); set != "" {
		return set
	}
	if strings.EqualFold(a.env("AWS_USE_FIPS_ENDPOINT"), "true") {
		host += "-fips"
	}
	return "https://" + host + "." + region + "." + Suffix(region)
}
