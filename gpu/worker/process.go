package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	startLimit = 10 * time.Second // for the greeting
	exitLimit  = 2 * time.Second  // for a killed process to be gone

	exitRequestLimit = 200 * time.Millisecond // for a process to end when asked to
)

// Config says how processes are started.
type Config struct {
	Emulator string // the executable
	Scratch  string // folder in which each process gets one of its own; empty for the system's
	Memory   int64  // bytes of private memory, 0 for no limit
	FileSize int64  // bytes of each file it writes
}

func (c Config) arguments() []string {
	args := []string{"file=" + strconv.FormatInt(c.FileSize, 10)}
	if c.Memory > 0 {
		args = append(args, "memory="+strconv.FormatInt(c.Memory, 10))
	}
	return args
}

// Process is one worker. One goroutine at a time may use it; Kill may be called
// from any. After a fault it has ended.
type Process struct {
	cmd     *exec.Cmd
	conn    *net.UnixConn
	output  *output
	scratch string
	layers  map[string]string
	gone    chan struct{} // closed when nothing of the process is left, its folder included

	mu      sync.Mutex
	reaping bool // its number may soon belong to another process: signal no more
}

// Start runs the emulator, contained, and waits for its greeting.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	scratch, err := os.MkdirTemp(cfg.Scratch, "hone-worker-")
	if err != nil {
		return nil, fmt.Errorf("make a worker's scratch folder: %w", err)
	}
	p, err := launch(cfg, scratch)
	if err != nil {
		_ = os.RemoveAll(scratch)
		return nil, fmt.Errorf("start worker %s: %w", cfg.Emulator, err)
	}
	if err := p.greet(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start worker %s: %w", cfg.Emulator, err), p.Kill())
	}
	return p, nil
}

func launch(cfg Config, scratch string) (*Process, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	defer writer.Close()
	cmd := exec.Command(cfg.Emulator, cfg.arguments()...)
	cmd.Dir = scratch
	cmd.Env = []string{"HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Stdout, cmd.Stderr = writer, writer
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		_, _ = ours.Close(), reader.Close()
		return nil, err
	}
	p := &Process{cmd: cmd, conn: ours, output: collect(reader), scratch: scratch, gone: make(chan struct{})}
	go p.reap()
	return p, nil
}

// reap waits for the process, ends what it left in its group, and clears up.
func (p *Process) reap() {
	reapGroup(p.cmd, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reaping = true
		p.signalGroup()
	})
	p.output.finish()
	removeAll(p.scratch)
	close(p.gone)
}

func (p *Process) signalGroup() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

// Kill ends the process and all that it started. It returns when nothing is
// left of it, or with an error when the system does not let go of it in time.
func (p *Process) Kill() error {
	p.mu.Lock()
	if !p.reaping {
		p.signalGroup()
	}
	p.mu.Unlock()
	_ = p.conn.Close()
	if !p.waitGone(exitLimit) {
		return fmt.Errorf("kill worker %d: still there after %s", p.cmd.Process.Pid, exitLimit)
	}
	return nil
}

// Close asks the process to end, and kills it when it does not.
func (p *Process) Close() error {
	_ = p.conn.SetDeadline(time.Now().Add(exitRequestLimit))
	if _, err := p.conn.Write(encode(typeExit)); err == nil {
		p.waitGone(exitRequestLimit)
	}
	return p.Kill()
}

func (p *Process) waitGone(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

func (p *Process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// PID is the number of the process, for messages.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Layers names the layers of containment with "on" or "off: reason", as the
// process greeted.
func (p *Process) Layers() map[string]string { return p.layers }

// Output is the first part of what the process printed, exactly as it did.
func (p *Process) Output() string { return p.output.text() }

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
		return nil, nil, fmt.Errorf("make a socket pair: %w", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "worker's socket")
	file := os.NewFile(uintptr(fds[0]), "judge's socket")
	defer file.Close() // FileConn works on a duplicate
	conn, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("open the socket of a worker: %w", err)
	}
	return conn.(*net.UnixConn), theirs, nil
}

// removeAll removes a scratch folder even where its owner took rights away from
// folders within.
func removeAll(folder string) {
	if os.RemoveAll(folder) == nil {
		return
	}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(folder)
}
