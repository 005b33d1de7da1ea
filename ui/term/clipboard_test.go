package term

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tools is a machine where the named tools work.
type tools struct {
	working []string
	calls   []string
}

func (m *tools) run(_ context.Context, words []string, input string) error {
	m.calls = append(m.calls, strings.Join(words, " ")+" < "+input)
	if !slices.Contains(m.working, words[0]) {
		return errors.New("not found")
	}
	return nil
}

func TestCopy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tmux    bool
		tools   []string
		working []string
		text    string
		want    string // before "saved to"
		sent    string // to the terminal
	}{
		{"terminal", false, nil, nil, "hi", "sent to terminal, ", "\x1b]52;c;aGk=\a"},
		{"tmux", true, nil, []string{"tmux"}, "hi", "in tmux buffer, ", ""},
		{"tmux that fails", true, nil, nil, "hi", "", ""},
		{"tool", false, []string{"wl-copy"}, []string{"wl-copy"}, "hi", "given to wl-copy, sent to terminal, ", "\x1b]52;c;aGk=\a"},
		{"second tool", false, []string{"wl-copy", "xclip -selection clipboard"}, []string{"xclip"}, "hi",
			"given to xclip, sent to terminal, ", "\x1b]52;c;aGk=\a"},
		{"too long for a terminal", false, nil, nil, strings.Repeat("x", maxOSC52), "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var terminal strings.Builder
			machine := &tools{working: test.working}
			dir := filepath.Join(t.TempDir(), "copies")
			c := Clipboard{Terminal: &terminal, Dir: dir, Tmux: test.tmux, Tools: test.tools, run: machine.run}
			got, err := c.Copy(t.Context(), "kernel.cu", test.text)
			path := filepath.Join(dir, "kernel.cu")
			if want := test.want + "saved to " + path; err != nil || got != want {
				t.Errorf("Copy = %q, %v, want %q", got, err, want)
			}
			if terminal.String() != test.sent {
				t.Errorf("the terminal was sent %q, want %q", terminal.String(), test.sent)
			}
			if saved, _ := os.ReadFile(path); string(saved) != test.text {
				t.Errorf("saved %.40q", saved)
			}
		})
	}
}

func TestCopyNowhere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if words, err := (Clipboard{Dir: file}).Copy(t.Context(), "x", "y"); err == nil {
		t.Errorf("Copy = %q, with no place to copy to", words)
	}
}

func TestCopyStaysInDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	words, err := Clipboard{Dir: dir}.Copy(t.Context(), "../../escape.cu", "x")
	if err != nil || words != "saved to "+filepath.Join(dir, "escape.cu") {
		t.Errorf("Copy = %q, %v", words, err)
	}
}

func TestNewClipboard(t *testing.T) {
	t.Parallel()
	local := map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", "TMUX": "/tmp/s,1,0"}
	c := NewClipboard(nil, "", func(name string) string { return local[name] })
	if !c.Tmux || len(c.Tools) < 3 || c.Tools[0] != "wl-copy" {
		t.Errorf("local: %+v", c)
	}
	local["SSH_TTY"] = "/dev/pts/1"
	if c = NewClipboard(nil, "", func(name string) string { return local[name] }); len(c.Tools) > 0 {
		t.Errorf("over SSH, tools of the wrong machine are used: %v", c.Tools)
	}
}

func TestStartRunsTheTool(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	if err := (Clipboard{}).start(t.Context(), []string{"tee", out}, "text"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "text" {
		t.Errorf("the tool was given %q", got)
	}
}
