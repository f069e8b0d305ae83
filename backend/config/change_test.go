package config

import (
	"context"
	"os"
	"testing"
)

func TestChangeMakesTheFile(t *testing.T) {
	h := home(t, "")
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	f := open(t, h)
	result, err := f.Change(context.Background(), Change{Steps: []Step{
		{Kind: StepSet, Path: []string{"mcp_servers", "demo"}, Value: Map("command", "npx", "args", []string{"-y", "@scope/pkg"}, "tools", Map("include", List()))},
		{Kind: StepSet, Path: []string{"mcp_servers", "demo", "timeout"}, Value: Map("a", 5).Children[1]},
	}})
	if err != nil || !result.Changed {
		t.Fatal(result, err)
	}
	const want = `mcp_servers:
  demo:
    command: npx
    args: [-y, "@scope/pkg"]
    tools:
      include: []
    timeout: 5
`
	if got := get(t, h.Config()); got != want {
		t.Errorf("%s", got)
	}
	if info, err := os.Stat(h.Config()); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}
