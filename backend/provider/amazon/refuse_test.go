package amazon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestRefused wants an error that says what to do, and no secret in it.
func TestRefused(t *testing.T) {
	none := map[string]string{"AWS_CONFIG_FILE": "$HOME/none", "AWS_SHARED_CREDENTIALS_FILE": "$HOME/none", "AWS_EC2_METADATA_DISABLED": "true"}
	with := func(env map[string]string, more ...string) map[string]string {
		out := map[string]string{}
		for key, value := range env {
			out[key] = value
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		want   []string
	}{
		"nothing anywhere": {"", none, []string{"no AWS credentials were found", "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE"}},
		"no such profile":  {sharedConfig, map[string]string{"AWS_PROFILE": "gone"}, []string{`"gone" does not exist`, "list-profiles"}},
		"profiles in a loop": {"[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n",
			map[string]string{"AWS_PROFILE": "a", "AWS_REGION": "us-east-1"}, []string{"lead to each other"}},
		"a code of a device": {"[profile a]\nrole_arn=r\nmfa_serial=m\nsource_profile=b\n[profile b]\naws_access_key_id=A\naws_secret_access_key=token-secret\n",
			map[string]string{"AWS_PROFILE": "a", "AWS_REGION": "us-east-1"}, []string{"mfa_serial", "get-session-token"}},
		"aws login": {"[profile a]\nlogin_session=x\n", map[string]string{"AWS_PROFILE": "a"}, []string{"`aws login`", "credential_process = aws configure export-credentials --profile a"}},
		"a role that is closed": {"[profile a]\nrole_arn=arn:aws:iam::1:role/closed\nsource_profile=b\n[profile b]\naws_access_key_id=A\naws_secret_access_key=token-secret\n",
			map[string]string{"AWS_PROFILE": "a", "AWS_REGION": "us-east-1"}, []string{"role/closed cannot be assumed", "403", "AccessDenied", "trust policy"}},
		"a program that fails":      {"[profile a]\ncredential_process=echo token-secret; exit 3\n", map[string]string{"AWS_PROFILE": "a"}, []string{"exit status 3", "in a terminal"}},
		"a program that says stuff": {"[profile a]\ncredential_process=echo token-secret\n", map[string]string{"AWS_PROFILE": "a"}, []string{"did not print JSON"}},
		"a program without end":     {"[profile a]\ncredential_process=yes token-secret\n", map[string]string{"AWS_PROFILE": "a"}, []string{"failed"}},
		"a program of the past": {"[profile a]\ncredential_process=printf '{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"token-secret\",\"Expiration\":\"2001-01-01T00:00:00Z\"}'\n",
			map[string]string{"AWS_PROFILE": "a"}, []string{"have expired", "aws sso login"}},
		"never signed in":     {strings.Replace(sharedConfig, "sso_session = corp", "sso_session = other", 1) + "[sso-session other]\nsso_region=eu-west-1\nsso_start_url=https://x\n", map[string]string{"AWS_PROFILE": "sso"}, []string{"sign-in", "`aws sso login --profile sso`"}},
		"no session section":  {strings.Replace(sharedConfig, "sso_session = corp", "sso_session = other", 1), map[string]string{"AWS_PROFILE": "sso"}, []string{"[sso-session other]"}},
		"a foreign container": {"", with(none, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/keys"), []string{"neither https nor one of a container"}},
		"a strange source":    {"[profile a]\nrole_arn=r\ncredential_source=Moon\n", map[string]string{"AWS_PROFILE": "a"}, []string{"Moon", "Ec2InstanceMetadata"}},
	} {
		t.Run(name, func(t *testing.T) {
			account(t, map[string]string{"config": c.config, corpFile: fmt.Sprintf(signedIn, "token-secret", inAnHour())}, c.env)
			_, err := open(t).credentials(context.Background())
			var told *Error
			if !errors.As(err, &told) {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q holds a secret", err)
			}
		})
	}
}

func TestRegionRefused(t *testing.T) {
	for name, c := range map[string]struct{ region, want string }{
		"none":     {"", "AWS_REGION"},
		"a host":   {"evil.example/", "is not an AWS region"},
		"a word":   {"ireland", "is not an AWS region"},
		"in front": {"us-east-1.evil", "is not an AWS region"},
	} {
		t.Run(name, func(t *testing.T) {
			account(t, nil, nil)
			a := Open(Options{Region: c.region})
			defer a.Close()
			if region, err := a.Region(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("region %q, error %v", region, err)
			}
		})
	}
}

// TestSignInRenewed wants an ended sign-in renewed once, put back where it was
// with all that was in it, and readable by its owner alone.
func TestSignInRenewed(t *testing.T) {
	home, _ := account(t, map[string]string{"config": sharedConfig, corpFile: fmt.Sprintf(signedIn, "old", "2001-01-01T00:00:00Z")},
		map[string]string{"AWS_PROFILE": "sso"})
	a := open(t)
	creds, err := a.credentials(context.Background())
	if err != nil || creds.AccessKeyID != "sso|renewed|111122223333|Reader" {
		t.Fatalf("%q, %v", creds.AccessKeyID, err)
	}
	path := filepath.Join(home, ".aws", corpFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"accessToken":"renewed"`, `"refreshToken":"next"`, `"future":{"kept":1}`, `"clientSecret":"cs"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the file lost %s: %s", want, raw)
		}
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("rights %v, %v", info.Mode(), err)
	}
}

// TestOldSignIn is a sign-in without a session: it cannot be renewed and the
// portal refuses its token.
func TestOldSignIn(t *testing.T) {
	account(t, map[string]string{
		"config":  "[profile a]\nsso_start_url=https://corp.awsapps.com/start\nsso_region=eu-west-1\nsso_account_id=1\nsso_role_name=r\n",
		startFile: fmt.Sprintf(signedIn, "old", inAnHour()),
	}, map[string]string{"AWS_PROFILE": "a"})
	if _, err := open(t).credentials(context.Background()); err == nil || !strings.Contains(err.Error(), "aws sso login --profile a") {
		t.Fatalf("error %v", err)
	}
}

// TestHeld wants credentials looked for once, and again after Forget or
// when they are about to end.
func TestHeld(t *testing.T) {
	home, _ := account(t, map[string]string{"config": "[profile a]\ncredential_process=sh $HOME/.aws/run\n"}, map[string]string{"AWS_PROFILE": "a"})
	script := func(ends time.Time) {
		line := fmt.Sprintf(`echo x >> %s/runs; echo '{"Version":1,"AccessKeyId":"AKIDPROCESS","SecretAccessKey":"very-secret","Expiration":%q}'`, home, ends.UTC().Format(time.RFC3339))
		if err := os.WriteFile(filepath.Join(home, ".aws", "run"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := open(t)
	ask := func(want int) {
		t.Helper()
		if _, err := a.credentials(context.Background()); err != nil {
			t.Fatal(err)
		}
		raw, _ := os.ReadFile(filepath.Join(home, "runs"))
		if got := strings.Count(string(raw), "x"); got != want {
			t.Errorf("the program ran %d times, want %d", got, want)
		}
	}
	script(time.Now().Add(time.Hour))
	ask(1)
	ask(1)
	if got := a.Redact("AKIDPROCESS signed with very-secret"); got != "[key] signed with [key]" {
		t.Errorf("redacted: %q", got)
	}
	if !a.Forget() {
		t.Error("credentials that end could not be looked for again")
	}
	script(time.Now().Add(30 * time.Second))
	ask(2)
	ask(3)
}

func TestSign(t *testing.T) {
	account(t, nil, map[string]string{"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "very-secret", "AWS_SESSION_TOKEN": "session"})
	for name, c := range map[string]struct{ key, prefix string }{
		"signature": {"", "AWS4-HMAC-SHA256 Credential=AKID/"},
		"key":       {"bedrock-key", "Bearer bedrock-key"},
	} {
		t.Run(name, func(t *testing.T) {
			a := Open(Options{Key: c.key})
			defer a.Close()
			req, err := http.NewRequest(http.MethodPost, "https://example.com/model", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Sign(context.Background(), req, []byte("{}"), "bedrock", "us-east-1"); err != nil {
				t.Fatal(err)
			}
			if got := req.Header.Get("Authorization"); !strings.HasPrefix(got, c.prefix) {
				t.Errorf("Authorization %q", got)
			}
			if got := req.Header.Get("X-Amz-Security-Token"); (got != "") != (c.key == "") {
				t.Errorf("X-Amz-Security-Token %q", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sharedConfig)
	f.Add("[a\nb=c\n[ profile  x ]\n = \nk")
	f.Fuzz(func(t *testing.T, text string) {
		for name, section := range parse(text) {
			if name != strings.TrimSpace(name) || section == nil {
				t.Fatalf("section %q", name)
			}
		}
	})
}
