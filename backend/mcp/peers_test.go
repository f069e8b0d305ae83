//go:build unix

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// The test binary runs itself as the servers that misbehave, as the guard, and
// as the program that is killed.

func runPeer(kind string, args []string) int {
	switch kind {
	case "__guard":
		return RunGuard(os.Stdin)
	case "__confine":
		return RunConfined(args)
	case "__file":
		fmt.Println(touchFile(args[0], args[1]))
		return 0
	case "__child":
		return runChild(args)
	case "__program":
		return runProgram(args)
	case "__server":
		return runServer(args[0], args[1:])
	}
	return runOutlive(kind, args)
}

// runServer is one faulty server.
func runServer(fault string, args []string) int {
	switch fault {
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot find module 'x'")
		return 3
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "deaf":
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serveSDK(toolsServer(nil))
		select {}
	case "slow":
		delay, _ := time.ParseDuration(args[0])
		<-time.After(delay)
		serveSDK(toolsServer(nil))
	case "flood":
		line := strings.Repeat("x", 199) + "\n"
		for range 100_000 {
			fmt.Fprint(os.Stderr, line)
		}
		serveSDK(toolsServer(nil))
	case "fork":
		forkChildren(args[0])
		serveSDK(toolsServer(nil))
	case "shout":
		fmt.Println("Добро пожаловать")
		shout()
		serveSDK(toolsServer(nil))
	case "daemon":
		daemonize(args[0])
		serveSDK(toolsServer(nil))
	case "shed", "chain", "unbranded", "nested":
		shed(fault, args[0])
		serveSDK(toolsServer(nil))
	case "pages":
		serveSDK(pagesServer())
	case "files":
		serveSDK(filesServer())
	case "env":
		fmt.Fprintln(os.Stderr, "environment: "+strings.Join(os.Environ(), " "))
		serveSDK(toolsServer(nil))
	case "tools":
		serveSDK(toolsServer(args))
	default:
		if !runFault(fault, args) {
			serveLines(fault, args)
		}
	}
	return 0
}

func serveSDK(server *sdk.Server) {
	_ = server.Run(context.Background(), &sdk.StdioTransport{MaxLineLength: -1})
}

type anything = map[string]any

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// toolsServer offers what the tests of calls need. With a folder as argument it
// notes there what reached it.
func toolsServer(args []string) *sdk.Server {
	note := func(name string) {
		if len(args) > 0 {
			appendLine(filepath.Join(args[0], "notes"), name)
		}
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "faults", Version: "1.2.3"}, nil)
	add := func(name string, readOnly bool, f func(ctx context.Context, args anything) (*sdk.CallToolResult, error)) {
		sdk.AddTool(server, &sdk.Tool{Name: name, Description: name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(ctx context.Context, _ *sdk.CallToolRequest, args anything) (*sdk.CallToolResult, any, error) {
				note(name)
				result, err := f(ctx, args)
				return result, nil, err
			})
	}
	add("echo", true, func(_ context.Context, args anything) (*sdk.CallToolResult, error) {
		data, err := json.Marshal(args)
		return text(string(data)), err
	})
	add("fail", true, func(context.Context, anything) (*sdk.CallToolResult, error) {
		return nil, fmt.Errorf("it went wrong")
	})
	add("die", false, func(context.Context, anything) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return nil, nil
	})
	add("hang", false, func(ctx context.Context, _ anything) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		note("cancelled")
		return nil, ctx.Err()
	})
	add("big", true, func(_ context.Context, args anything) (*sdk.CallToolResult, error) {
		size, _ := args["size"].(float64)
		return text(strings.Repeat("a", int(size))), nil
	})
	add("grow", false, func(context.Context, anything) (*sdk.CallToolResult, error) {
		for i := range 4 {
			sdk.AddTool(server, &sdk.Tool{Name: fmt.Sprintf("grown%d", i)},
				func(context.Context, *sdk.CallToolRequest, anything) (*sdk.CallToolResult, any, error) {
					return text("grown"), nil, nil
				})
		}
		return text("ok"), nil
	})
	addSteps(server)
	addAsks(server)
	addWaits(server)
	meet := make(chan struct{})
	for _, pair := range []struct {
		name     string
		readOnly bool
	}{{"meet", true}, {"meetWrite", false}} {
		// Two calls that run at once meet; alone, one gives up.
		add(pair.name, pair.readOnly, func(ctx context.Context, _ anything) (*sdk.CallToolResult, error) {
			select {
			case meet <- struct{}{}:
				return text("met"), nil
			case <-meet:
				return text("met"), nil
			case <-time.After(300 * time.Millisecond):
				return text("alone"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	}
	return server
}

func pagesServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "pages", Version: "1"}, &sdk.ServerOptions{PageSize: 2})
	for _, name := range []string{"a", "b", "c"} {
		sdk.AddTool(server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, anything) (*sdk.CallToolResult, any, error) {
			return text(name), nil, nil
		})
	}
	return server
}

// serveLines is a server written by hand, for what the SDK's server never does.
func serveLines(fault string, args []string) {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	send := func(format string, values ...any) {
		fmt.Fprintf(out, format+"\n", values...)
		_ = out.Flush()
	}
	if fault == "noise" {
		send("Welcome to the server!")
		send("{not json at all}")
		send(`{"level":"info","msg":"listening"}`)
		send("")
		send("[1,2]")
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name            string          `json:"name"`
				ProtocolVersion string          `json:"protocolVersion"`
				Capabilities    json.RawMessage `json:"capabilities"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &message) != nil {
			continue
		}
		if len(args) > 0 {
			appendLine(filepath.Join(args[0], "notes"), message.Method+" "+string(message.Params.Capabilities))
		}
		switch message.Method {
		case "server/discover":
			switch fault {
			case "exit-on-probe":
				os.Exit(1)
			case "hang-on-probe":
				select {}
			case "ignore-probe":
			default:
				send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, message.ID)
			}
		case "initialize":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"lines","version":"1"}}}`, message.ID)
		case "tools/list":
			if fault == "end-after-list" {
				send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, message.ID)
				os.Exit(0)
			}
			send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"raw","inputSchema":{"type":"object","properties":{"z":{"type":"integer"},"a":{"maximum":9007199254740993}}},"x":1},{"name":5},{"name":"odd","inputSchema":{"type":["object","null"]},"annotations":{"title":"Odd one"}}]}}`, message.ID)
		case "tools/call":
			answerCall(fault, message.Params.Name, message.ID, send)
		}
	}
}

const bigResult = 20 << 20

func answerCall(fault, name string, id json.RawMessage, send func(string, ...any)) {
	switch {
	case name == "huge":
		send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, strings.Repeat("b", 2<<20))
	case name == "big":
		send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, strings.Repeat("b", bigResult))
	case name == "rpcerror":
		send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such tool"}}`, id)
	case name == "input":
		send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}}`, id)
	case name == "ask":
		send(`{"jsonrpc":"2.0","id":77,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}`)
		send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"asked"}]}}`, id)
	case fault == "noise":
		send("a stray line before the result")
		send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"quiet"}]}}`, id)
	default:
		send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"<b> &"},{"type":"hologram","n":1},{"type":"image","mimeType":"image/png","data":"AAAA"}],"structuredContent":{"big":9007199254740993, "f":1.0}}}`, id)
	}
}

// forkChildren starts two processes that ignore every polite signal, one in the
// server's group and one that leaves it, and notes their numbers.
func forkChildren(folder string) {
	for _, leave := range []bool{false, true} {
		cmd := exec.Command(os.Args[0], "__child", folder)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: leave}
		// Inheriting the pipes is what keeps them open after the server's death.
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
	}
	waitForLines(filepath.Join(folder, "children"), 2)
}

func runChild(args []string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	appendLine(filepath.Join(args[0], "children"), fmt.Sprint(os.Getpid()))
	select {}
}

// runProgram is a program with a Manager, which the test kills.
func runProgram(args []string) int {
	folder := args[0]
	m := New(Options{Guard: []string{os.Args[0], "__guard"}})
	m.apply(map[string]want{"forks": stdioWant("forks", "__server", "fork", folder)})
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if missing := m.Wait(ctx, nil); len(missing) > 0 {
		fmt.Println("missing", missing, m.Status("forks").Reason)
		return 1
	}
	fmt.Println("ready", m.Status("forks").PID)
	select {}
}

func stdioWant(name string, args ...string) want {
	return want{
		name: name, run: true, trusted: true,
		conn:   config.Connection{Transport: "stdio", Command: os.Args[0], Args: args},
		expand: func(c config.Connection) (config.Connection, error) { return c, nil },
	}
}

func appendLine(path, line string) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

func linesOf(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var lines []string
	for line := range bytes.Lines(data) {
		lines = append(lines, strings.TrimSpace(string(line)))
	}
	return lines
}

func waitForLines(path string, n int) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(linesOf(path)) < n {
		<-tick.C
	}
}
