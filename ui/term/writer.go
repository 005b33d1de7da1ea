package term

import (
	"os"
	"sync"
)

// Synchronized output, mode 2026: the terminal shows what lies between the two
// all at once. Terminals that do not know it ignore it.
const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
)

// Writer is the terminal that frames are written to. Each Write reaches the
// terminal as one piece and is shown as one. It embeds the file so that Bubble
// Tea still finds a terminal behind it, and is safe for several goroutines, so
// that a clipboard sequence never lands inside of a frame.
//
// A command that is to own the terminal, such as an editor, must be given the
// File: package os/exec puts a pipe before anything else.
type Writer struct {
	*os.File
	mu  sync.Mutex
	buf []byte
}

// NewWriter returns a Writer to the terminal f.
func NewWriter(f *os.File) *Writer { return &Writer{File: f} }

// Write writes one frame.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf[:0], beginFrame...)
	w.buf = append(w.buf, p...)
	w.buf = append(w.buf, endFrame...)
	n, err := w.File.Write(w.buf)
	return min(max(0, n-len(beginFrame)), len(p)), err
}

// WriteString writes one sequence, such as the ones that set a mode.
func (w *Writer) WriteString(s string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.File.WriteString(s)
}
