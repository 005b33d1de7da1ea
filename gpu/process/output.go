package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// keptOutput is how much is kept of what a process prints. The rest is read and
// dropped, so that a chatty process is not held up.
const keptOutput = 64 << 10

const drainLimit = 200 * time.Millisecond

// output collects what a process prints on both its streams.
type output struct {
	reader *os.File
	ended  chan struct{}

	mu   sync.Mutex
	kept []byte
}

// collect reads until every holder of the other end has closed it, or finish
// gives up on that.
func collect(reader *os.File) *output {
	o := &output{reader: reader, ended: make(chan struct{})}
	go func() {
		defer close(o.ended)
		_, _ = io.Copy(o, reader)
	}()
	return o
}

// Write implements io.Writer for io.Copy.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	room := keptOutput - len(o.kept)
	o.kept = append(o.kept, p[:min(len(p), room)]...)
	return len(p), nil
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.kept)
}

// finish stops reading: at the end of what was printed, or after a short while
// where somebody who left the process's group still holds the other end.
func (o *output) finish() {
	_ = o.reader.SetReadDeadline(time.Now().Add(drainLimit))
	<-o.ended
	_ = o.reader.Close()
}
