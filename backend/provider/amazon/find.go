package amazon

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// seeker walks the chain of one search. seen are the profiles on the way.
type seeker struct {
	account *Account
	seen    []string
}

// find looks for credentials in the order of Amazon's programs: keys in the
// environment, a web identity in the environment, the profile, the container,
// the machine. It also says in words where they come from.
func (a *Account) find(ctx context.Context) (aws.Credentials, string, error) {
	s := &seeker{account: a}
	if creds, ok := a.environment(); ok {
		return creds, "the environment (AWS_ACCESS_KEY_ID)", nil
	}
	if file := a.env("AWS_WEB_IDENTITY_TOKEN_FILE"); file != "" {
		creds, err := a.webIdentity(ctx, file, a.env("AWS_ROLE_ARN"), a.env("AWS_ROLE_SESSION_NAME"), "")
		return creds, "the web identity in AWS_WEB_IDENTITY_TOKEN_FILE", err
	}
	return s.ofProfile(ctx, a.Profile())
}

func (a *Account) environment() (aws.Credentials, bool) {
	creds := aws.Credentials{
		AccessKeyID:     first(a.env("AWS_ACCESS_KEY_ID"), a.env("AWS_ACCESS_KEY")),
		SecretAccessKey: first(a.env("AWS_SECRET_ACCESS_KEY"), a.env("AWS_SECRET_KEY")),
		SessionToken:    a.env("AWS_SESSION_TOKEN"),
	}
	return creds, creds.HasKeys()
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// ofProfile gives the credentials of a profile, and the role's if it names one.
func (s *seeker) ofProfile(ctx context.Context, name string) (aws.Credentials, string, error) {
	source := fmt.Sprintf("the AWS profile %q", name)
	if slices.Contains(s.seen, name) {
		return aws.Credentials{}, source, &Error{
			Message: fmt.Sprintf("the AWS profiles %q lead to each other by `source_profile`", s.seen),
			Hint:    "let one of them hold keys",
		}
	}
	s.seen = append(s.seen, name)
	p, err := s.account.profile(name)
	if err != nil {
		return aws.Credentials{}, source, err
	}
	creds, from, err := s.base(ctx, name, p)
	if from == "" {
		from = source
	}
	if err != nil || p["role_arn"] == "" || p["web_identity_token_file"] != "" && p["source_profile"] == "" {
		return creds, from, err
	}
	creds, err = s.account.assumeRole(ctx, creds, name, p)
	return creds, source, err
}

// base gives the credentials a profile begins with. The order is that of
// aws-sdk-go-v2/config.
func (s *seeker) base(ctx context.Context, name string, p map[string]string) (aws.Credentials, string, error) {
	a := s.account
	static := aws.Credentials{AccessKeyID: p["aws_access_key_id"], SecretAccessKey: p["aws_secret_access_key"], SessionToken: p["aws_session_token"]}
	switch from := p["source_profile"]; {
	case from != "" && p["role_arn"] != "" && from != name:
		return s.ofProfile(ctx, from)
	case static.HasKeys():
		return static, "", nil
	case p["credential_source"] != "":
		creds, err := s.named(ctx, name, p["credential_source"])
		return creds, "", err
	case p["web_identity_token_file"] != "":
		creds, err := a.webIdentity(ctx, p["web_identity_token_file"], p["role_arn"], p["role_session_name"], p["region"])
		return creds, "", err
	case p["sso_session"] != "" || p["sso_start_url"] != "":
		creds, err := a.singleSignOn(ctx, name, p)
		return creds, "", err
	case p["login_session"] != "":
		return aws.Credentials{}, "", &Error{
			Message: fmt.Sprintf("the AWS profile %q was signed in with `aws login`, which only Amazon's own program can read", name),
			Hint:    fmt.Sprintf("add a profile with `credential_process = aws configure export-credentials --profile %s --format process` and set AWS_PROFILE to it", name),
		}
	case p["credential_process"] != "":
		creds, err := a.process(ctx, name, p["credential_process"])
		return creds, "", err
	}
	return a.fromMachine(ctx)
}

// named gives the credentials of a `credential_source`.
func (s *seeker) named(ctx context.Context, profile, source string) (aws.Credentials, error) {
	switch source {
	case "Environment":
		if creds, ok := s.account.environment(); ok {
			return creds, nil
		}
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the AWS profile %q takes its keys from the environment, and there are none", profile),
			Hint:    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		}
	case "EcsContainer":
		creds, ok, err := s.account.container(ctx)
		if err == nil && !ok {
			err = &Error{Message: fmt.Sprintf("the AWS profile %q takes its keys from a container, and this is none", profile), Hint: "choose another profile with AWS_PROFILE"}
		}
		return creds, err
	case "Ec2InstanceMetadata":
		return s.account.instance(ctx)
	}
	return aws.Credentials{}, &Error{
		Message: fmt.Sprintf("the AWS profile %q has the unknown `credential_source` %q", profile, source),
		Hint:    "known: Environment, EcsContainer, Ec2InstanceMetadata",
	}
}

// fromMachine is the end of the chain: the container or the machine this runs
// on. What fails here is told as what it is for nearly everybody: no
// credentials.
func (a *Account) fromMachine(ctx context.Context) (aws.Credentials, string, error) {
	if creds, ok, err := a.container(ctx); ok || err != nil {
		return creds, "the container", err
	}
	creds, err := a.instance(ctx)
	if err != nil && ctx.Err() == nil {
		err = &Error{
			Message: "no AWS credentials were found",
			Hint:    "set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile of `aws configure`",
			err:     err,
		}
	}
	return creds, "the machine's role", err
}
