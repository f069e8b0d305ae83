package config

import (
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// TestSecretsByName plants one value under many names: none may be shown, and
// none may stay in the file when an entry is added.
func TestSecretsByName(t *testing.T) {
	const plant = "PLANT21x"
	for _, name := range []string{
		"DB_PASS", "PGPASSWORD", "MYSQL_PWD", "dbPwd", "REDIS_PW", "SSH_PASSPHRASE", "JWT_SECRET", "clientSecret", "ACCESS_TOKEN", "API_KEY", "apiKey", "AWS_ACCESS_KEY_ID",
		"ENCRYPTION_KEY", "STRIPE_KEY_PROD", "BASIC_AUTH", "X-Auth", "AUTH_HEADER", "CREDENTIALS", "SESSION", "X-User-Session", "SESSION_COOKIE", "Proxy-Authorization",
		"SLACK_WEBHOOK", "SLACK_WEBHOOK_URL", "SENTRY_DSN", "CONNECTION_STRING", "connectionString", "HMAC_SIGNATURE", "PRIVATE", "GITHUB_PAT", "X-My-Key", "AccountKey",
		"PIN", "PIN_CODE", "cardPin", "PASSCODE", "ACCESS", "DB_ACCESS", "DSN", "CONN", "PG_CONN",
	} {
		if !IsSecret([]string{"mcp_servers", "a", "env", name}, Text(plant)) {
			t.Errorf("%s is shown", name)
		}
		if got := (Connection{Headers: map[string]string{name: plant}}).Secrets(); !slices.Contains(got, plant) {
			t.Errorf("%s is not among the secrets", name)
		}
	}
	for name, values := range map[string][]string{
		"PWD": {plant}, "OLDPWD": {plant}, "KEYBOARD": {plant}, "KEYMAP": {plant}, "PUBLIC_KEY": {plant}, "COMPASS": {plant}, "AUTHOR": {plant}, "MONKEY": {plant},
		"AUTH_TYPE": {plant}, "KEY_NAME": {plant}, "key_env": {plant}, "auth": {"oauth", "true"}, "API_KEY": {"${API_KEY}", "true", "false"}, "DESKTOP_SESSION": {"gnome"},
		"SSH_AUTH_SOCK": {"/tmp/agent.1"}, "MAX_TOKENS": {"4096"}, "SESSION_TIMEOUT": {"30"}, "WEBHOOK_PORT": {"8080"}, "GOOGLE_APPLICATION_CREDENTIALS": {"/srv/key.json"},
		"TOKEN_FILE": {"/run/token"}, "GPIO_PIN": {"17"}, "PIN_VERSION": {plant}, "SPIN": {plant}, "ACCESS": {"public", "read-only"}, "ACCESS_MODE": {plant}, "MAX_CONN": {"100"},
		"CONN_TIMEOUT": {plant},
	} {
		for _, value := range values {
			if IsSecret([]string{"mcp_servers", "a", "env", name}, Text(value)) {
				t.Errorf("%s: %s is hidden", name, value)
			}
		}
	}
}

// TestSecretsByShape: values that are secret whatever they are called.
func TestSecretsByShape(t *testing.T) {
	bot := "123456789:" + strings.Repeat("Ab3_-", 7)
	for text, secret := range map[string]string{
		"postgres://u:PLANT21@h/db":                                      "PLANT21",
		"mysql://u:abc@h/db":                                             "abc",
		"Server=h;Uid=u;Pwd=PLANT21;":                                    "PLANT21",
		"Server=h;Password=PLANT21":                                      "PLANT21",
		"AccountName=n;AccountKey=PLANT21==;EndpointSuffix=x":            "PLANT21==",
		"Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=PLANT21": "PLANT21",
		"jdbc:sqlserver://h;user=u;password=PLANT21":                     "PLANT21",
		"host=h password=PLANT21 dbname=d":                               "PLANT21",
		"https://hooks.slack.com/services/T01/B02/PLANT21":               "PLANT21",
		"https://discord.com/api/webhooks/12/PLANT21":                    "PLANT21",
		"https://api.telegram.org/bot" + bot + "/x":                      bot,
		bot: bot,
	} {
		c := Connection{Env: map[string]string{"DATABASE": text}}
		if !slices.ContainsFunc(c.Secrets(), func(s string) bool { return strings.HasSuffix(s, secret) }) {
			t.Errorf("%s: %q", text, c.Secrets())
		}
		if shown := Masked(nil, Text(text)).Value; strings.Contains(shown, secret) {
			t.Errorf("%s is shown as %s", text, shown)
		}
	}
	for _, args := range [][]string{
		{"--pass", "PLANT21"}, {"--pwd", "PLANT21"}, {"--db-password=PLANT21"}, {"-u", "user:PLANT21"}, {"-H", "X-Auth: PLANT21"}, {"--header=X-User-Session: PLANT21"},
		{"--env=DB_PW=PLANT21"}, {"-c", "DB_PW=PLANT21 node a.js"},
	} {
		if shown := strings.Join(MaskArgs(args), " "); strings.Contains(shown, "PLANT21") {
			t.Errorf("shown: %s", shown)
		}
		if got := (Connection{Args: args}).Secrets(); !slices.Contains(got, "PLANT21") {
			t.Errorf("%q: %q", args, got)
		}
	}
	for _, args := range [][]string{
		{"run", "-u", "1000:1000"}, {"--no-auth", "server.js"}, {"--auth", "basic"}, {"--key", "/etc/key.pem"}, {"org/auth-server:1.2.3"}, {"auth-server:latest"},
		{"a b; c d"}, {"x=1;y=2"}, {"-e", "TOKEN"}, {"https://example.com/webhooks/list"},
	} {
		if shown := MaskArgs(args); !slices.Equal(shown, args) || len((Connection{Args: args}).Secrets()) > 0 {
			t.Errorf("%q is shown as %q", args, shown)
		}
	}
	if got := Masked([]string{"a", "env"}, Map("PORT", "5", "DB_PASS", "x")); got.Kind != policy.KindMapping || got.Children[3].Value != masked {
		t.Errorf("%s", WriteYAML(got))
	}
}
