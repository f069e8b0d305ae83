package amazon

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// services stands for Amazon's: token service, sign-in, container and machine.
// Every answer carries the way it was asked in its access key.
func services(t *testing.T) *httptest.Server {
	t.Helper()
	ends := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		by := "unsigned"
		if _, rest, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
			by, _, _ = strings.Cut(rest, "/")
		}
		action := r.Form.Get("Action")
		if r.Form.Get("RoleArn") == "arn:aws:iam::1:role/closed" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User token-secret is not authorized</Message></Error></ErrorResponse>`)
			return
		}
		fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>%[2]s</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>role+token/==</SessionToken><Expiration>%[3]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`,
			action, strings.Join([]string{action, by, r.Form.Get("RoleArn"), r.Form.Get("ExternalId"), r.Form.Get("WebIdentityToken")}, "|"), ends.Format(time.RFC3339))
	})
	mux.HandleFunc("GET /federation/credentials", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Sso_bearer_token") == "old" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":"sso|%s|%s|%s","secretAccessKey":"s","sessionToken":"t","expiration":%d}}`,
			r.Header.Get("X-Amz-Sso_bearer_token"), r.URL.Query().Get("account_id"), r.URL.Query().Get("role_name"), ends.UnixMilli())
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"accessToken":"renewed","expiresIn":3600,"refreshToken":"next","tokenType":"Bearer"}`)
	})
	mux.HandleFunc("GET /container", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"AccessKeyId":"container|%s","SecretAccessKey":"s","Token":"t","Expiration":%q}`, r.Header.Get("Authorization"), ends.Format(time.RFC3339))
	})
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "300")
		fmt.Fprint(w, "machine-token")
	})
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/{role...}", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Aws-Ec2-Metadata-Token") != "machine-token":
			w.WriteHeader(http.StatusUnauthorized)
		case r.PathValue("role") == "":
			fmt.Fprint(w, "web-role")
		default:
			fmt.Fprintf(w, `{"Code":"Success","AccessKeyId":"machine|%s","SecretAccessKey":"s","Token":"t","Expiration":%q,"LastUpdated":%q}`,
				r.PathValue("role"), ends.Format(time.RFC3339), ends.Add(-2*time.Hour).Format(time.RFC3339))
		}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

const signedIn = `{"startUrl":"https://corp.awsapps.com/start","region":"eu-west-1","accessToken":%q,"expiresAt":%q,"clientId":"c","clientSecret":"cs","refreshToken":"r","future":{"kept":1}}`

// account is a person's computer: the shared files and the environment, the
// same for our chain and for Amazon's.
func account(t *testing.T, files map[string]string, env map[string]string) (home string, srv *httptest.Server) {
	t.Helper()
	home = t.TempDir()
	srv = services(t)
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", home)
	// The SDK looks for the home folder when the program starts.
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(home, ".aws", "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(home, ".aws", "credentials"))
	t.Setenv("AWS_ENDPOINT_URL_STS", srv.URL)
	t.Setenv("AWS_ENDPOINT_URL_SSO", srv.URL)
	t.Setenv("AWS_ENDPOINT_URL_SSO_OIDC", srv.URL)
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", srv.URL)
	for name, value := range env {
		t.Setenv(name, strings.ReplaceAll(strings.ReplaceAll(value, "$HOME", home), "$SERVER", srv.URL))
	}
	for name, text := range files {
		path := filepath.Join(home, ".aws", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$HOME", home)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, srv
}

func open(t *testing.T) *Account {
	t.Helper()
	a := Open(Options{})
	t.Cleanup(a.Close)
	return a
}

func inAnHour() string { return time.Now().Add(time.Hour).UTC().Format(time.RFC3339) }

// sha1 of "corp" and of the start address name the files of the sign-ins.
const (
	corpFile  = "sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json"
	startFile = "sso/cache/a51746d4aa793ae07b25e90c3a5db96fc7832bd7.json"
)

const sharedConfig = `
# a comment
[default]
region = eu-central-1   # a word about it
s3 =
  region = us-west-1
[profile keys]
aws_access_key_id = FROMCONFIG
aws_secret_access_key = secret ; said
region=ap-south-1
[profile role]
role_arn = arn:aws:iam::1:role/reader
source_profile = keys
external_id = ext
[profile chained]
role_arn = arn:aws:iam::1:role/second
source_profile = role
[profile self]
role_arn = arn:aws:iam::1:role/self
source_profile = self
aws_access_key_id = SELF
aws_secret_access_key = secret
[profile envrole]
role_arn = arn:aws:iam::1:role/env
credential_source = Environment
[profile boxrole]
role_arn = arn:aws:iam::1:role/box
credential_source = Ec2InstanceMetadata
region = us-east-1
[profile web]
role_arn = arn:aws:iam::1:role/web
web_identity_token_file = $HOME/.aws/web-token
region = us-east-1
[profile process]
region = us-west-2
credential_process = printf '{"Version":1,"AccessKeyId":"PROCESS","SecretAccessKey":"s","SessionToken":"t","Expiration":"2099-01-01T00:00:00Z"}'
[profile sso]
sso_session = corp
sso_account_id = 111122223333
sso_role_name = Reader
region = eu-west-1
[profile ssorole]
role_arn = arn:aws:iam::1:role/sso
source_profile = sso
region = eu-west-1
[sso-session corp]
sso_region = eu-west-1
sso_start_url = https://corp.awsapps.com/start
`

const sharedKeys = `
[default]
aws_access_key_id = DEFAULT
aws_secret_access_key = default-secret
[keys]
aws_access_key_id = FROMKEYS
aws_secret_access_key = keys-secret
aws_session_token = keys-token
`

// TestPeer wants our chain to give what aws-sdk-go-v2/config gives for the same
// files, variables and services.
func TestPeer(t *testing.T) {
	files := map[string]string{
		"config": sharedConfig, "credentials": sharedKeys, "web-token": "web-token",
		corpFile: fmt.Sprintf(signedIn, "token", inAnHour()),
	}
	for name, env := range map[string]map[string]string{
		"default":                {},
		"environment":            {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "sa-east-1"},
		"environment, profile":   {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "keys"},
		"half an environment":    {"AWS_ACCESS_KEY_ID": "ENV", "AWS_PROFILE": "keys"},
		"both files":             {"AWS_PROFILE": "keys"},
		"old variables":          {"AWS_DEFAULT_PROFILE": "keys", "AWS_DEFAULT_REGION": "us-west-2"},
		"role":                   {"AWS_PROFILE": "role", "AWS_REGION": "us-east-1"},
		"role of a role":         {"AWS_PROFILE": "chained", "AWS_REGION": "us-east-1"},
		"role of its own keys":   {"AWS_PROFILE": "self", "AWS_REGION": "us-east-1"},
		"role of the machine":    {"AWS_PROFILE": "boxrole"},
		"web identity":           {"AWS_PROFILE": "web"},
		"web identity of a pod":  {"AWS_WEB_IDENTITY_TOKEN_FILE": "$HOME/.aws/web-token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/pod", "AWS_REGION": "us-east-1"},
		"a program":              {"AWS_PROFILE": "process"},
		"single sign-on":         {"AWS_PROFILE": "sso"},
		"role of single sign-on": {"AWS_PROFILE": "ssorole"},
		"other files": {"AWS_CONFIG_FILE": "$HOME/none", "AWS_SHARED_CREDENTIALS_FILE": "$HOME/.aws/credentials",
			"AWS_PROFILE": "keys", "AWS_REGION": "us-east-1"},
		"container": {"AWS_CONFIG_FILE": "$HOME/none", "AWS_SHARED_CREDENTIALS_FILE": "$HOME/none", "AWS_REGION": "us-east-1",
			"AWS_CONTAINER_CREDENTIALS_FULL_URI": "$SERVER/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "proof"},
		"machine": {"AWS_CONFIG_FILE": "$HOME/none", "AWS_SHARED_CREDENTIALS_FILE": "$HOME/none", "AWS_REGION": "us-east-1"},
	} {
		t.Run(name, func(t *testing.T) {
			account(t, files, env)
			ctx := context.Background()
			theirs, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
			if err != nil {
				t.Fatal(err)
			}
			want, err := theirs.Credentials.Retrieve(ctx)
			if err != nil {
				t.Fatal(err)
			}
			a := open(t)
			got, err := a.credentials(ctx)
			if err != nil {
				t.Fatal(err)
			}
			region, err := a.Region()
			if err != nil || region != theirs.Region {
				t.Errorf("region %q (%v), the SDK says %q", region, err, theirs.Region)
			}
			if !same(got, want) {
				t.Errorf("got  %q until %v\nwant %q until %v", got.AccessKeyID, got.Expires, want.AccessKeyID, want.Expires)
			}
		})
	}
}

func same(a, b aws.Credentials) bool {
	return a.AccessKeyID == b.AccessKeyID && a.SecretAccessKey == b.SecretAccessKey && a.SessionToken == b.SessionToken &&
		a.CanExpire == b.CanExpire && a.Expires.Sub(b.Expires).Abs() < 6*time.Minute // the SDK's cache counts some minutes less
}
