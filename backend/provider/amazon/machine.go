package amazon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	// maxReply bounds an answer with credentials, in bytes.
	maxReply = 256 << 10
	// nearTime bounds a question to the machine this runs on: a computer at home
	// has no metadata service and must not wait for one.
	nearTime = time.Second
	// farTime bounds a question to a service of Amazon.
	farTime = 30 * time.Second
)

// keys are credentials as the services for machines and programs write them.
type keys struct {
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Token           string
	Expiration      time.Time
}

func (k keys) credentials() aws.Credentials {
	return aws.Credentials{
		AccessKeyID: k.AccessKeyID, SecretAccessKey: k.SecretAccessKey, SessionToken: first(k.SessionToken, k.Token),
		CanExpire: !k.Expiration.IsZero(), Expires: k.Expiration,
	}
}

// near is a client for the machine itself: no proxy, no redirect, nothing kept
// open.
func near() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// fetch sends a request and gives its whole answer; another status than 200 is
// an error that holds nothing of it.
func fetch(client *http.Client, req *http.Request) ([]byte, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return raw, &statusError{resp.StatusCode}
	}
	return raw, nil
}

type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("it answered %d %s", e.status, http.StatusText(e.status))
}

// container asks the service of a container (ECS, EKS) that the environment
// names; ok is false where it names none.
func (a *Account) container(ctx context.Context) (creds aws.Credentials, ok bool, err error) {
	address := a.env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if path := a.env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		address = "http://169.254.170.2" + path
	}
	if address == "" {
		return creds, false, nil
	}
	failed := func(err error) (aws.Credentials, bool, error) {
		return aws.Credentials{}, true, &Error{
			Message: "the container gave no AWS credentials: " + plain(err),
			Hint:    "check AWS_CONTAINER_CREDENTIALS_FULL_URI or the role of the task",
			err:     err,
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && isContainerHost(u.Hostname())) {
		return failed(errors.New("its address is neither https nor one of a container"))
	}
	token := a.env("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if path := a.env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return failed(err)
		}
		token = strings.TrimSpace(string(raw))
	}
	ctx, cancel := context.WithTimeout(ctx, 5*nearTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return failed(err)
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	raw, err := fetch(near(), req)
	if err != nil {
		return failed(err)
	}
	var k keys
	if err := json.Unmarshal(raw, &k); err != nil || !k.credentials().HasKeys() {
		return failed(errors.New("its answer holds none"))
	}
	return k.credentials(), true, nil
}

// isContainerHost allows the unencrypted addresses Amazon's programs allow.
func isContainerHost(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	return ip.IsLoopback() || ip.Equal(net.ParseIP("169.254.170.2")) ||
		ip.Equal(net.ParseIP("169.254.170.23")) || ip.Equal(net.ParseIP("fd00:ec2::23"))
}

// instance asks the metadata service of an EC2 machine, version 2 only.
func (a *Account) instance(ctx context.Context) (aws.Credentials, error) {
	failed := func(err error) (aws.Credentials, error) {
		return aws.Credentials{}, &Error{
			Message: "the machine's role gave no AWS credentials: " + plain(err),
			Hint:    "check that the machine has a role, or choose a profile with AWS_PROFILE",
			err:     err,
		}
	}
	if strings.EqualFold(a.env("AWS_EC2_METADATA_DISABLED"), "true") {
		return failed(errors.New("AWS_EC2_METADATA_DISABLED is set"))
	}
	base := strings.TrimRight(first(a.env("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254"), "/")
	ctx, cancel := context.WithTimeout(ctx, nearTime)
	defer cancel()
	client := near()
	ask := func(method, path, header, value string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, method, base+path, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set(header, value)
		return fetch(client, req)
	}
	token, err := ask(http.MethodPut, "/latest/api/token", "X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "300")
	if err != nil {
		return failed(err)
	}
	const list, proof = "/latest/meta-data/iam/security-credentials/", "X-Aws-Ec2-Metadata-Token"
	roles, err := ask(http.MethodGet, list, proof, string(token))
	if err != nil {
		return failed(err)
	}
	role, _, _ := strings.Cut(strings.TrimSpace(string(roles)), "\n")
	raw, err := ask(http.MethodGet, list+url.PathEscape(strings.TrimSpace(role)), proof, string(token))
	if err != nil {
		return failed(err)
	}
	var k keys
	if err := json.Unmarshal(raw, &k); err != nil || !k.credentials().HasKeys() {
		return failed(errors.New("its answer holds none"))
	}
	return k.credentials(), nil
}

// plain is an error without the address a url.Error repeats.
func plain(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
