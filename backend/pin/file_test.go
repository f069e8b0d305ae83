package pin

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const writerVariable = "HERMES_PIN_WRITER"

// writeForever changes a store until the process is killed.
func writeForever(folder string) {
	s := New(Options{Folder: folder})
	for i := 0; ; i++ {
		if _, err := s.See(Key{"demo", "1"}, sight(tool("a", strings.Repeat("x", 50000)+strconv.Itoa(i)))); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("w\n")
	}
}

// TestKilled: whoever dies in the middle of a write leaves the old or the new.
func TestKilled(t *testing.T) {
	folder := newFolder(t)
	see(t, New(Options{Folder: folder}), Key{"demo", "1"}, tool("a", "first"))
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"="+folder)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 2)
		for range 3 {
			if _, err := out.Read(line); err != nil || string(line) != "w\n" {
				t.Fatal(err, string(line))
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s := New(Options{Folder: folder})
		if got := s.Judge(Key{"demo", "1"}, tool("a", "first").Definition); got != Same {
			t.Fatalf("after a kill: %v, %+v", got, s.Problem(true))
		}
	}
}

// TestTwoProcesses: two stores of one folder lose nothing of each other.
func TestTwoProcesses(t *testing.T) {
	folder := newFolder(t)
	var wait sync.WaitGroup
	for writer := range 4 {
		wait.Go(func() {
			s := New(Options{Folder: folder})
			for i := range 10 {
				key := Key{"s" + strconv.Itoa(writer) + "-" + strconv.Itoa(i), "1"}
				if _, err := s.See(key, sight(tool("a", "one"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	s := New(Options{Folder: folder})
	for writer := range 4 {
		for i := range 10 {
			if got := s.Judge(Key{"s" + strconv.Itoa(writer) + "-" + strconv.Itoa(i), "1"}, tool("a", "one").Definition); got != Same {
				t.Fatalf("%d-%d: %v", writer, i, got)
			}
		}
	}
}

// TestAcceptedElsewhere: an acceptance in one process is in force in the other.
func TestAcceptedElsewhere(t *testing.T) {
	folder := newFolder(t)
	key := Key{"demo", "1"}
	running, command := New(Options{Folder: folder}), New(Options{Folder: folder})
	see(t, running, key, tool("a", "one"))
	see(t, running, key, tool("a", "two"))
	turn := running.Turn()
	changes, _ := command.Changes(key)
	if err := command.Accept(key, map[string]string{"a": changes[0].NowHash}, nil); err != nil {
		t.Fatal(err)
	}
	if running.Turn() == turn || running.Judge(key, tool("a", "two").Definition) != Same || running.Judge(key, tool("a", "one").Definition) != Changed {
		t.Error("the running process goes by what was")
	}
}

// TestMemoryFirst: what was seen before our folder was made is not forgotten by
// the folder, and not by the file that another process wrote meanwhile.
func TestMemoryFirst(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "native")
	key := Key{"demo", "1"}
	s := New(Options{Folder: folder})
	see(t, s, key, tool("a", "one"))
	see(t, s, key, tool("a", "two"))
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	see(t, New(Options{Folder: folder}), key, tool("b", "other"))
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	other := New(Options{Folder: folder})
	if other.Judge(key, tool("a", "one").Definition) != Same || other.Judge(key, tool("b", "other").Definition) != Same || other.Judge(key, tool("a", "two").Definition) != Changed {
		t.Error("the memory of one of them is gone")
	}
	if err := os.Remove(filepath.Join(folder, "pins.json")); err != nil {
		t.Fatal(err)
	}
	if got := states(see(t, s, key, tool("a", "two")).Tools); got != "a*" {
		t.Errorf("the file was deleted while we run: %q", got)
	}
	if got := New(Options{Folder: folder}).Judge(key, tool("a", "one").Definition); got != Same {
		t.Errorf("it was not written again: %v", got)
	}
}

func TestDamaged(t *testing.T) {
	key := Key{"demo", "1"}
	good := func(t *testing.T) (string, []byte) {
		folder := newFolder(t)
		see(t, New(Options{Folder: folder}), key, tool("a", "one"))
		data, err := os.ReadFile(filepath.Join(folder, "pins.json"))
		if err != nil {
			t.Fatal(err)
		}
		return folder, data
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":       func([]byte) []byte { return nil },
		"first words": func([]byte) []byte { return []byte("{\"version\":1,\n") },
		"cut":         func(d []byte) []byte { return d[:len(d)-20] },
		"one letter":  func(d []byte) []byte { return bytes.Replace(d, []byte(`"one"`), []byte(`"two"`), 1) },
		"other words": func([]byte) []byte { return []byte("{}\n") },
		"no JSON":     func(d []byte) []byte { return append([]byte("x"), d...) },
	} {
		t.Run(name, func(t *testing.T) {
			folder, data := good(t)
			path := filepath.Join(folder, "pins.json")
			running := New(Options{Folder: folder})
			if running.Judge(key, tool("a", "one").Definition) != Same {
				t.Fatal("not read")
			}
			if err := os.WriteFile(path, spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := running.Judge(key, tool("a", "two").Definition); got != Changed {
				t.Errorf("who read it before forgets: %v", got)
			}
			s := New(Options{Folder: folder})
			if p := s.Problem(true); p == nil || !p.Lost || !strings.Contains(p.Message, "damaged") {
				t.Errorf("nobody is told: %+v", p)
			}
			if p := New(Options{Folder: folder}).Problem(false); name != "one letter" && (p == nil || !p.Lost) {
				t.Error("a listing does not tell")
			}
			if _, err := os.Stat(path + ".damaged"); !errors.Is(err, fs.ErrNotExist) {
				t.Error("looking moved the file")
			}
			see(t, s, key, tool("a", "two"))
			kept, err := os.ReadFile(path + ".damaged")
			if err != nil || !bytes.Equal(kept, spoil(data)) {
				t.Errorf("the damaged file is not kept: %v", err)
			}
			if p := New(Options{Folder: folder}).Problem(true); p == nil || !p.Lost {
				t.Error("it is forgotten that pins were lost")
			}
		})
	}
	t.Run("a newer version", func(t *testing.T) {
		folder, data := good(t)
		path := filepath.Join(folder, "pins.json")
		data = bytes.Replace(data, []byte(`{"version":1`), []byte(`{"version":2`), 1)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := New(Options{Folder: folder})
		if _, err := s.See(key, sight(tool("a", "two"))); err == nil || s.Problem(true) == nil {
			t.Error("nobody is told")
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Error("the file of a newer program was touched")
		}
	})
}

func TestFileIsPrivateAndStable(t *testing.T) {
	folder := newFolder(t)
	s := New(Options{Folder: folder, Now: func() time.Time { return time.Unix(1e9, 0) }})
	see(t, s, Key{"b", "1"}, tool("a", "one <&>\n"))
	see(t, s, Key{"a", "1"}, tool("a", "one"))
	path := filepath.Join(folder, "pins.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(err, info.Mode())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := encode(read)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v\n%s\n%s", err, data, again)
	}
	for _, e := range read {
		if err := e.open(); err != nil {
			t.Fatal(err)
		}
	}
	if again, err = encode(read); err != nil || !bytes.Equal(data, again) {
		t.Errorf("read and written again: %v\n%s\n%s", err, data, again)
	}
	see(t, s, Key{"a", "1"}, tool("a", "one"))
	if later, err := os.Stat(path); err != nil || !later.ModTime().Equal(info.ModTime()) {
		t.Error("the same sight wrote the file again")
	}
}

func FuzzDecode(f *testing.F) {
	good, err := encode(state{{"demo", "1"}: {head: head{Server: "demo", Identity: "1", Listed: true, Tools: []Brief{{Name: "a"}}},
		records: map[string]record{"a": {Pin: tool("a", "one").Definition, Hash: "x"}}}, {"b", "2"}: {head: head{Server: "b", Identity: "2"}, records: map[string]record{}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("{\"version\":1,\"rest\":14,\"index\":[],\n\"servers\":[\n]}\n"))
	f.Add([]byte("{\"version\":2,\"index\":null,\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := decode(data)
		if err != nil {
			if !errors.Is(err, errDamaged) && !errors.Is(err, errNewer) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		for key, e := range read {
			if key != (Key{e.head.Server, e.head.Identity}) {
				t.Fatal("an entry under another's key")
			}
			_ = e.open()
		}
	})
}
