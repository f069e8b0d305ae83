package amazon

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// sessionName is what roles are assumed as where no name is set; it appears in
// the account's audit trail.
const sessionName = "hermes"

// assumeRole exchanges credentials for those of the role a profile names.
func (a *Account) assumeRole(ctx context.Context, creds aws.Credentials, name string, p map[string]string) (aws.Credentials, error) {
	if p["mfa_serial"] != "" {
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the role of the AWS profile %q asks for a code of a device (mfa_serial)", name),
			Hint:    "get a session with `aws sts get-session-token` or use a profile of `aws configure sso`",
		}
	}
	form := url.Values{
		"Action": {"AssumeRole"}, "RoleArn": {p["role_arn"]},
		"RoleSessionName": {first(p["role_session_name"], sessionName)},
	}
	if p["external_id"] != "" {
		form.Set("ExternalId", p["external_id"])
	}
	if p["duration_seconds"] != "" {
		form.Set("DurationSeconds", p["duration_seconds"])
	}
	return a.tokenService(ctx, form, p["region"], func(req *http.Request, body []byte, region string) error {
		return a.signWith(ctx, creds, req, body, "sts", region)
	})
}

// webIdentity exchanges a token of another identity provider, as Kubernetes
// gives it to a pod, for a role's credentials.
func (a *Account) webIdentity(ctx context.Context, file, role, session, region string) (aws.Credentials, error) {
	if role == "" {
		return aws.Credentials{}, &Error{Message: "a web identity is set for AWS and no role", Hint: "set AWS_ROLE_ARN (or `role_arn` in the profile)"}
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return aws.Credentials{}, unreadable(file, err)
	}
	form := url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {role},
		"RoleSessionName": {first(session, sessionName)}, "WebIdentityToken": {strings.TrimSpace(string(token))},
	}
	return a.tokenService(ctx, form, region, nil)
}

// tokenService asks Amazon's token service (STS).
func (a *Account) tokenService(ctx context.Context, form url.Values, region string, sign func(*http.Request, []byte, string) error) (aws.Credentials, error) {
	role := form.Get("RoleArn")
	failed := func(why string, err error) (aws.Credentials, error) {
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the AWS role %s cannot be assumed: %s", role, why),
			Hint:    "check its trust policy and the credentials it is assumed with",
			err:     err,
		}
	}
	if region == "" || !regionPattern().MatchString(region) {
		var err error
		if region, err = a.Region(); err != nil {
			return aws.Credentials{}, err
		}
	}
	base := a.Address("sts", "STS", region)
	form.Set("Version", "2011-06-15")
	body := form.Encode()
	ctx, cancel := context.WithTimeout(ctx, farTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+"/", strings.NewReader(body))
	if err != nil {
		return failed("its address is no URL", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if sign != nil {
		if err := sign(req, []byte(body), region); err != nil {
			return failed("the request cannot be signed", err)
		}
	}
	raw, err := fetch(a.client, req)
	var answer struct {
		Error   struct{ Code string }
		Role    credentialsXML `xml:"AssumeRoleResult>Credentials"`
		Foreign credentialsXML `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
	}
	readable := xml.Unmarshal(raw, &answer) == nil
	switch {
	case err != nil && readable && answer.Error.Code != "":
		return failed(plain(err)+" ("+word(answer.Error.Code)+")", err)
	case err != nil:
		return failed(plain(err), err)
	}
	for _, found := range []credentialsXML{answer.Role, answer.Foreign} {
		if creds := found.credentials(); readable && creds.HasKeys() {
			return creds, nil
		}
	}
	return failed("the answer holds no credentials", nil)
}

type credentialsXML struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      time.Time
}

func (c credentialsXML) credentials() aws.Credentials {
	return keys{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken, Expiration: c.Expiration}.credentials()
}

// word keeps of a code the letters a code is made of.
func word(code string) string {
	code = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, code)
	return code[:min(len(code), 60)]
}

// Suffix is the domain of a region's services.
func Suffix(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "amazonaws.com.cn"
	case strings.HasPrefix(region, "eusc-"):
		return "amazonaws.eu"
	case strings.HasPrefix(region, "us-isob-"):
		return "sc2s.sgov.gov"
	case strings.HasPrefix(region, "us-isof-"):
		return "csp.hci.ic.gov"
	case strings.HasPrefix(region, "us-iso-"):
		return "c2s.ic.gov"
	case strings.HasPrefix(region, "eu-isoe-"):
		return "cloud.adc-e.uk"
	}
	return "amazonaws.com"
}
