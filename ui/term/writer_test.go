package term

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	xterm "github.com/charmbracelet/x/term"
)

// Bubble Tea looks for a terminal behind its output by this interface.
var _ xterm.File = (*Writer)(nil)

func TestWriterBracketsFrames(t *testing.T) {
	t.Parallel()
	w, read := writerToFile(t)
	n, err := w.Write([]byte("frame"))
	if n != len("frame") || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
	if _, err := w.WriteString("\x1b]52;c;AA==\a"); err != nil {
		t.Fatal(err)
	}
	if got, want := read(), "\x1b[?2026hframe\x1b[?2026l\x1b]52;c;AA==\a"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestWriterKeepsSequencesOutOfFrames(t *testing.T) {
	t.Parallel()
	w, read := writerToFile(t)
	frame := strings.Repeat("f", 1000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				_, _ = w.Write([]byte(frame))
				_, _ = w.WriteString("<copy>")
			}
		})
	}
	all.Wait()
	rest := strings.ReplaceAll(read(), beginFrame+frame+endFrame, "")
	if rest = strings.ReplaceAll(rest, "<copy>", ""); rest != "" {
		t.Errorf("frames and sequences are mixed: %.200q", rest)
	}
}

func TestWriterReportsErrors(t *testing.T) {
	t.Parallel()
	w, _ := writerToFile(t)
	_ = w.Close()
	if n, err := w.Write([]byte("frame")); err == nil || n != 0 {
		t.Errorf("Write to a closed file = %d, %v", n, err)
	}
}

func writerToFile(t *testing.T) (*Writer, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return NewWriter(f), func() string {
		out, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
}
