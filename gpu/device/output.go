package device

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// output collects what a process prints on both its streams: the first part is
// kept, the rest read and dropped, so that a chatty process is not held up.
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
	o.kept = append(o.kept, p[:min(len(p), keptOutput-len(o.kept))]...)
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

// socketPair makes the channel to a worker: our end and the one it inherits.
func socketPair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "worker's socket")
	file := os.NewFile(uintptr(fds[0]), "judge's socket")
	defer file.Close() // FileConn works on a duplicate
	conn, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}
