package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Program says what to start, and how long it may take.
type Program struct {
	Name        string // for messages, such as "worker"
	Path        string // of the executable
	Arguments   []string
	Environment []string    // beyond HOME, TMPDIR, LANG and PATH; nothing is inherited
	Scratch     string      // folder in which each process gets one of its own; empty for the system's
	Faults      []FaultKind // that it may report beyond those of every program
	Limits      Limits

	// Launched is told of the process before its greeting is waited for, so that
	// [Process.Pause] can stop it while it starts. May be nil.
	Launched func(*Process)
}

// Limits are how long each step of a process's life may take.
type Limits struct {
	Start time.Duration // until the greeting
	Close time.Duration // until a process has ended that was asked to
	Kill  time.Duration // until a killed process is gone
}

// Process is one running program. One goroutine at a time may use it; Kill, Pause and
// Resume may be called from any. After a fault it has ended.
type Process struct {
	program Program
	cmd     *exec.Cmd
	conn    *net.UnixConn
	wait    patience
	output  *output
	scratch string
	layers  map[string]string // nil until the greeting
	gone    chan struct{}     // closed when nothing of the process is left, its folder included

	mu      sync.Mutex
	reaping bool // its number may soon belong to another process: signal no more
}

// Start runs the program and waits for its greeting. A program that ran but did
// not greet is a [StartError].
func Start(ctx context.Context, program Program) (*Process, error) {
	scratch, err := os.MkdirTemp(program.Scratch, "hone-worker-")
	if err != nil {
		return nil, fmt.Errorf("make the scratch folder of a %s: %w", program.Name, err)
	}
	p, err := launch(program, scratch)
	if err != nil {
		_ = os.RemoveAll(scratch)
		return nil, fmt.Errorf("start %s %s: %w", program.Name, program.Path, err)
	}
	if program.Launched != nil {
		program.Launched(p)
	}
	if err := p.greet(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s %s: %w", program.Name, program.Path, err), p.Kill())
	}
	return p, nil
}

func launch(program Program, scratch string) (*Process, error) {
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
	cmd := exec.Command(program.Path, program.Arguments...)
	cmd.Dir = scratch
	cmd.Env = append([]string{"HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "PATH=/usr/bin:/bin"}, program.Environment...)
	cmd.Stdout, cmd.Stderr = writer, writer
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		_, _ = ours.Close(), reader.Close()
		return nil, err
	}
	p := &Process{
		program: program, cmd: cmd, conn: ours, wait: patience{conn: ours}, output: collect(reader), scratch: scratch,
		gone: make(chan struct{}),
	}
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

func (p *Process) signalGroup() { p.signal(syscall.SIGKILL) }

func (p *Process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// Pause stops the process and all that it started where they are: nothing answers a
// request until [Process.Resume]. What a device works on goes on. The time does not
// count in the limit of a request that is under way.
func (p *Process) Pause() {
	p.wait.pause()
	p.signalUnlessGone(syscall.SIGSTOP)
}

// Resume has a process go on that was paused.
func (p *Process) Resume() {
	p.signalUnlessGone(syscall.SIGCONT)
	p.wait.resume()
}

func (p *Process) signalUnlessGone(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaping {
		p.signal(s)
	}
}

// Kill ends the process and all that it started. It returns when nothing is left
// of it, or with an error when the system or a driver does not let go of it in time.
func (p *Process) Kill() error {
	p.mu.Lock()
	if !p.reaping {
		p.signalGroup()
	}
	p.mu.Unlock()
	_ = p.conn.Close()
	if limit := p.program.Limits.Kill; !p.waitGone(limit) {
		return fmt.Errorf("kill %s %d: still there after %s", p.program.Name, p.PID(), limit)
	}
	return nil
}

// Close asks the process to end, and kills it when it does not.
func (p *Process) Close() error {
	limit := p.program.Limits.Close
	_ = p.conn.SetDeadline(time.Now().Add(limit))
	if _, err := p.conn.Write(frame(uint32(Exit), "")); err == nil {
		p.waitGone(limit)
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

// Alive reports whether the process has not ended yet.
func (p *Process) Alive() bool {
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

// socketPair makes the channel to a process: our end and the one it inherits.
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
		return nil, nil, fmt.Errorf("open the socket of a process: %w", err)
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
