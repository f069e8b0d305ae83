package amazon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// processTime bounds a credential_process; a person may have to touch a key.
const processTime = time.Minute

// process runs the program a profile names for its credentials, through the
// shell as Amazon's programs do: the line is the person's own.
func (a *Account) process(ctx context.Context, profile, line string) (aws.Credentials, error) {
	failed := func(why string, err error) (aws.Credentials, error) {
		return aws.Credentials{}, &Error{
			Message: fmt.Sprintf("the credential_process of the AWS profile %q %s", profile, why),
			Hint:    "run the line of the profile in a terminal to see what it says",
			err:     err,
		}
	}
	ctx, cancel := context.WithTimeout(ctx, processTime)
	defer cancel()
	shell, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd.exe", "/C"
	}
	cmd := exec.CommandContext(ctx, shell, flag, line)
	var out capped
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return failed("did not end in time", ctx.Err())
		}
		return failed("failed: "+err.Error(), err)
	}
	var answer struct {
		keys
		Version int
	}
	// What it printed may hold a secret, so the words of the decoder are left out.
	if json.Unmarshal(out.buf.Bytes(), &answer) != nil {
		return failed("did not print JSON", nil)
	}
	if answer.Version != 1 {
		return failed("did not print `\"Version\": 1`", nil)
	}
	creds := answer.credentials()
	if !creds.HasKeys() {
		return failed("printed no AccessKeyId or no SecretAccessKey", nil)
	}
	return creds, nil
}

var errTooLong = errors.New("it prints too much")

// capped is a buffer that refuses more than maxReply bytes.
type capped struct{ buf bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if c.buf.Len()+len(p) > maxReply {
		return 0, errTooLong
	}
	return c.buf.Write(p)
}
