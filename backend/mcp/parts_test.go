package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestLookup(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	folder := t.TempDir()
	put := func(path string, mode os.FileMode) string {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := put("one/tool", 0o700)
	put("one/data", 0o600)
	second := put("two/data", 0o700)
	put("home/.nvm/versions/node/v9.1.0/bin/zzz-npx", 0o700)
	newest := put("home/.nvm/versions/node/v20.1.0/bin/zzz-npx", 0o700)
	spaced := put("with space/run", 0o700)
	env := func() map[string]string {
		return map[string]string{
			"HOME": filepath.Join(folder, "home"),
			"PATH": "relative:" + filepath.Join(folder, "one") + ":" + filepath.Join(folder, "two"),
		}
	}
	for _, test := range []struct{ command, dir, want string }{
		{"tool", "", first},
		{"data", "", second},
		{"zzz-npx", "", newest},
		{spaced, "", spaced},
		{"./tool", filepath.Join(folder, "one"), first},
		{"../with space/run", filepath.Join(folder, "one"), spaced},
		{"~/.nvm/versions/node/v20.1.0/bin/zzz-npx", "", newest},
	} {
		got, err := newFinder(env(), nil, nil).find(test.command, test.dir)
		if err != nil || got != test.want {
			t.Errorf("%s: %q %v, want %q", test.command, got, err, test.want)
		}
	}
	with := env()
	if _, err := newFinder(with, nil, nil).find("zzz-npx", ""); err != nil || !strings.HasPrefix(with["PATH"], filepath.Dir(newest)+":") {
		t.Errorf("PATH %q: the program's folder must lead", with["PATH"])
	}
	for _, command := range []string{"nothing-here", filepath.Join(folder, "one/data"), "~/nothing"} {
		_, err := newFinder(env(), nil, nil).find(command, "")
		var missing *notFoundError
		if !errors.As(err, &missing) || len(missing.looked) == 0 {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestBatchCommandLine(t *testing.T) {
	const npx = `C:\Program Files\nodejs\npx.cmd`
	for _, test := range []struct {
		path string
		args []string
		want string
	}{
		{`C:\tools\node.exe`, []string{"a & b"}, ""},
		{npx, []string{"-y", "@scope/pkg"}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" -y @scope/pkg"`},
		{npx, []string{`C:\my files\`}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" "C:\my files\\""`},
		{npx, []string{"a&calc"}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" "a&calc""`},
		{npx, []string{`say "hi"`}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" "say ""hi""""`},
		{npx, []string{"%PATH%"}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" "%%cd:~,%PATH%%cd:~,%""`},
		{npx, []string{""}, `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\nodejs\npx.cmd" """`},
	} {
		if got := batchCommandLine(test.path, append([]string{test.path}, test.args...)); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.args, got, test.want)
		}
	}
	for _, bad := range []string{"a\nb", "a\rb", "a\x00b"} {
		if checkBatch(npx, []string{bad}) == nil {
			t.Errorf("%q is let through", bad)
		}
	}
	if err := checkBatch(`C:\node.exe`, []string{"a\nb"}); err != nil {
		t.Error(err)
	}
}

func TestRedactor(t *testing.T) {
	r := newRedactor(map[string]string{
		"Bearer ${TOKEN}":           "Bearer abcdefgh-1",
		"https://h/?k=${K}&x=1":     "https://h/?k=abcdefgh-1234&x=1",
		"${SHORT}":                  "true",
		"literal-value-stays-there": "literal-value-stays-there",
	}, suspicious(map[string]string{"API_KEY": "written-in-file", "PORT": "8080808080", "Authorization": "Bearer written-too"}))
	got := r.clean("token abcdefgh-1, key abcdefgh-1234, true, literal-value-stays-there")
	if got != "token ***, key ***, true, literal-value-stays-there" {
		t.Errorf("got %q", got)
	}
	if got := r.clean("written-in-file 8080808080 written-too"); got != "*** 8080808080 ***" {
		t.Errorf("got %q", got)
	}
	short := newRedactor(nil, suspicious(map[string]string{"PGPASSWORD": "hunter2", "PIN_CODE": "1234", "ACCESS": "a!x9", "DB_PASS": "abc", "MODE": "fast", "API_KEY": "true", "DB_PW": "ünïx2"}))
	for text, want := range map[string]string{
		"hunter2":                   "***",
		"pw=hunter2, 'hunter2' end": "pw=***, '***' end",
		"PG_hunter2_x hunter2hunter2 hunter22 xhunter2": "PG_***_x hunter2hunter2 hunter22 xhunter2",
		"at 12345 and 1234.":                            "at 12345 and ***.",
		"a!x9":                                          "***",
		"abc fast true":                                 "abc fast true",
		"hunter2hunter2 then hunter2\xffhunter2":        "hunter2hunter2 then ***\xff***",
		"ünïx2 ünïx2é éünïx2":                           "*** ünïx2é éünïx2",
	} {
		if got := short.clean(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := (redactor{}).clean("x"); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestLogKeepsWholeLinesAndNoSecrets(t *testing.T) {
	l := newServerLog("a b/../c", t.TempDir(), nil)
	defer l.close()
	l.begin(newRedactor(map[string]string{"${T}": "secret-value-1"}, nil))
	long := strings.Repeat("y", 2*rawLineBytes)
	for _, chunk := range []string{"one\ntw", "o\r\nsecret-", "value-1\n", long, "\nlast"} {
		if n, err := l.Write([]byte(chunk)); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	if words := l.lastWords(1); words != "last" {
		t.Errorf("last words %q", words)
	}
	want := []string{"one", "two", "***", long[:logLineBytes], "last"}
	if got := l.snapshot(); !slices.Equal(got, want) {
		t.Errorf("lines %.40q", got)
	}
	if name := fileName("a b/../c"); strings.ContainsAny(name, "/. ") || name == fileName("a b/../d") {
		t.Errorf("file name %q", name)
	}
}

func TestReadResult(t *testing.T) {
	for _, test := range []struct {
		raw, content string
		isError      bool
	}{
		{`{"content":[]}`, "", false},
		{`{}`, "", false},
		{`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\nb", false},
		{`{"content":[{"type":"text","text":"bad"}],"isError":true}`, "bad", true},
		{`{"content":[{"type":"text","text":"{\"a\":1, \"b\":2}"}],"structuredContent":{"b":2,"a":1}}`, `{"a":1, "b":2}`, false},
		{`{"content":[{"type":"text","text":"{\"a\":9007199254740993}"}],"structuredContent":{"a":9007199254740992}}`,
			"{\"a\":9007199254740993}\n{\"a\":9007199254740992}", false},
		{`{"content":[{"type":"text","text":"all of it"}],"structuredContent":{"content":"all of it"}}`, "all of it", false},
		{`{"content":[{"type":"text","text":"part"}],"structuredContent":{"content":"all of it"}}`, "part\n{\"content\":\"all of it\"}", false},
		{`{"content":[{"type":"text","text":"x"}],"structuredContent":{"content":"x","more":1}}`, "x\n{\"content\":\"x\",\"more\":1}", false},
		{`{"structuredContent":[1,2]}`, "[1,2]", false},
		{`{"content":{"type":"text","text":"alone"}}`, "alone", false},
		{`{"content":[5]}`, "[content that cannot be read, 1 bytes: 5]", false},
		{`{"content":[null]}`, "[content that cannot be read, 4 bytes: null]", false},
		{`{"content":null}`, "", false},
		{`{"content":[],"isError":true}`, "The server reported an error and did not say which.", true},
		{`{"content":[],"isError":false}`, "", false},
		{`{"content":[],"isError":null}`, "", false},
		{`{"content":[],"isError":"yes","_meta":{"a":9007199254740993}}`, "The server reported an error and did not say which.", true},
		{`{"content":"bare"}`, "bare", false},
		{`{"content":[{"type":"text","text":5}]}`, `[content of the unknown type "text", 24 bytes: {"type":"text","text":5}]`, false},
		{`{"content":[{"type":"hologram","n":9007199254740993}]}`,
			`[content of the unknown type "hologram", 40 bytes: {"type":"hologram","n":9007199254740993}]`, false},
		{`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"audio","data":"AAAA"}]}`,
			"[image image/png, 3 bytes, not shown]\n[audio of unknown type, 3 bytes, not shown]", false},
		{`{"resultType":7}`, `The server answered with a result of type "7", which is not supported.`, true},
		{`{"content":[{"type":"resource_link","uri":"file:///a","name":"A"}]}`, "[resource A file:///a]", false},
		{`{"content":[{"type":"resource","resource":{"uri":"x:y","text":"body"}}]}`, "[resource x:y]\nbody", false},
		{`{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"AAAA","mimeType":"a/b"}}]}`, "[resource x:y a/b, 3 bytes, not shown]", false},
		{`{"resultType":"task","task":{}}`, `The server answered with a result of type "task", which is not supported.`, true},
	} {
		got, err := readResult([]byte(test.raw))
		if err != nil || got.Content != test.content || got.IsError != test.isError || string(got.Blocks) != test.raw {
			t.Errorf("%s: %+v %v", test.raw, got, err)
		}
	}
	if _, err := readResult([]byte(`[]`)); err == nil {
		t.Error("a list is read as a result")
	}
}

func FuzzReadResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"structuredContent":1}`))
	f.Add([]byte(`{"content":[[[]]]}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = readResult(data) })
}

// FuzzEventBody passes any stream through unchanged but for the result that is
// captured.
func FuzzEventBody(f *testing.F) {
	f.Add([]byte("event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"result\":{}}\n\n"))
	f.Add([]byte(": c\r\n\r\ndata:x\r\n\r\ndata"))
	f.Add([]byte("\n\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		source := io.NopCloser(bytes.NewReader(stream))
		body := &eventBody{source: source, reader: bufio.NewReader(source), capture: &capture{}}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, stream) {
			t.Errorf("%q became %q (%v)", stream, got, err)
		}
	})
}

// FuzzLine reads any line of a server: it is a message or noise, and never
// ends the session.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":1}}`))
	f.Add([]byte(`{{`))
	f.Fuzz(func(t *testing.T, line []byte) {
		log := newServerLog("x", "", nil)
		c := &lineConn{log: log, limit: maxMessage}
		if message := c.decode(bytes.Clone(line), nil); message == nil && len(bytes.TrimSpace(line)) > 0 && log.noiseCount() != 1 {
			t.Errorf("%q is neither a message nor noise", line)
		}
		_ = c.decode(line, line)
	})
}

// TestLane holds the lane to its three promises for random callers: nobody runs
// beside one that must be alone, turns begin in order, and everybody gets one.
func TestLane(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		overlap := rapid.SliceOfN(rapid.Bool(), 1, 12).Draw(rt, "overlap")
		hold := rapid.SliceOfN(rapid.IntRange(1, 20), len(overlap), len(overlap)).Draw(rt, "hold")
		synctest.Test(t, func(*testing.T) {
			l := &lane{}
			type entry struct{ index, shared, alone int }
			log := make(chan entry, len(overlap))
			shared, alone := 0, 0
			turn := make(chan struct{}, 1)
			var all sync.WaitGroup
			for i := range overlap {
				all.Go(func() {
					leave, err := l.enter(context.Background(), overlap[i])
					if err != nil {
						rt.Errorf("entering: %v", err)
						return
					}
					turn <- struct{}{}
					if overlap[i] {
						shared++
					} else {
						alone++
					}
					log <- entry{i, shared, alone}
					<-turn
					<-time.After(time.Duration(hold[i]))
					turn <- struct{}{}
					if overlap[i] {
						shared--
					} else {
						alone--
					}
					<-turn
					leave()
				})
				synctest.Wait()
			}
			all.Wait()
			last := -1
			for range overlap {
				e := <-log
				if e.alone > 1 || e.alone == 1 && e.shared > 0 {
					rt.Errorf("%+v run together", e)
				}
				if !overlap[e.index] && e.index < last {
					rt.Errorf("%d began after %d", e.index, last)
				}
				last = max(last, e.index)
			}
		})
	})
}

func TestLaneForgetsWhoGivesUp(t *testing.T) {
	l := &lane{}
	leave, err := l.enter(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := l.enter(ctx, true); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	leave()
	leave()
	if l.alone || l.shared != 0 || len(l.queue) != 0 {
		t.Errorf("lane %+v", l)
	}
}

func TestBackoff(t *testing.T) {
	tm := defaultTiming()
	for failures, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 7: time.Minute, 99: time.Minute} {
		for range 50 {
			if got := tm.backoff(failures); got < want*4/5 || got > want*6/5+1 {
				t.Errorf("%d failures: %s, want about %s", failures, got, want)
			}
		}
	}
}

// TestSettle announces changes again and again: they are one, but nobody waits
// for ever.
func TestSettle(t *testing.T) {
	for _, test := range []struct {
		name         string
		announced    int
		every, wants time.Duration
	}{
		{"one", 0, 0, 100 * time.Millisecond},
		{"four at once", 4, 0, 100 * time.Millisecond},
		{"four in a row", 4, 50 * time.Millisecond, 300 * time.Millisecond},
		{"without end", 1000, 50 * time.Millisecond, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := defaultTiming()
				session := &session{changed: make(chan struct{}, 1), dead: make(chan struct{})}
				ctx, stop := context.WithCancel(context.Background())
				defer stop()
				go func() {
					for range test.announced {
						select {
						case <-time.After(test.every):
						case <-ctx.Done():
							return
						}
						select {
						case session.changed <- struct{}{}:
						default:
						}
					}
				}()
				began := time.Now()
				(&server{timing: tm}).settle(ctx, session)
				if took := time.Since(began); took != test.wants {
					t.Errorf("it took %s, want %s", took, test.wants)
				}
			})
		})
	}
}
