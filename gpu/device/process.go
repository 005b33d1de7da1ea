package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/hone/gpu/worker"
)

const (
	startLimit       = 20 * time.Second       // for the context and the greeting
	exitLimit        = 10 * time.Second       // for a killed process to be gone: the driver may hold it a while
	exitRequestLimit = 500 * time.Millisecond // for a process to end when asked to
	drainLimit       = 200 * time.Millisecond // for the end of its output once it has ended
	keptOutput       = 64 << 10
)

// Config says how processes are started.
type Config struct {
	Program     string   // the executable that [Prepare] made
	Device      int      // its place in the driver's order
	Driver      string   // path of libcuda; empty for its usual places
	Environment []string // more variables, such as "CUDA_VISIBLE_DEVICES=1"
	Scratch     string   // folder in which each process gets one of its own; empty for the system's
	Memory      int64    // bytes of private host memory beyond the driver's own, 0 for no limit
	FileSize    int64    // bytes of each file it writes
}

func (c Config) arguments() []string {
	args := []string{"device=" + strconv.Itoa(c.Device), "file=" + strconv.FormatInt(c.FileSize, 10)}
	if c.Memory > 0 {
		args = append(args, "memory="+strconv.FormatInt(c.Memory, 10))
	}
	if c.Driver != "" {
		args = append(args, "driver="+c.Driver)
	}
	return args
}

// environment has modules loaded whole, so that no call of solve pays for it, and
// nothing kept from one process to the next.
func (c Config) environment(scratch string) []string {
	env := []string{"HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "PATH=/usr/bin:/bin",
		"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1"}
	return append(env, c.Environment...)
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

// Start runs the program, which takes the device and contains itself, and waits
// for its greeting.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	scratch, err := os.MkdirTemp(cfg.Scratch, "hone-device-")
	if err != nil {
		return nil, fmt.Errorf("make a device worker's scratch folder: %w", err)
	}
	p, err := launch(cfg, scratch)
	if err != nil {
		_ = os.RemoveAll(scratch)
		return nil, fmt.Errorf("start device worker %s: %w", cfg.Program, err)
	}
	if err := p.greet(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start device worker: %w", err), p.Kill())
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
	cmd := exec.Command(cfg.Program, cfg.arguments()...)
	cmd.Dir, cmd.Env = scratch, cfg.environment(scratch)
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
	_ = os.RemoveAll(p.scratch)
	close(p.gone)
}

func (p *Process) signalGroup() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

// Kill ends the process and all that it started. It returns when nothing is left
// of it, or with an error when the driver does not let go of it in time: the
// device is then not to be trusted.
func (p *Process) Kill() error {
	p.mu.Lock()
	if !p.reaping {
		p.signalGroup()
	}
	p.mu.Unlock()
	_ = p.conn.Close()
	if !p.waitGone(exitLimit) {
		return fmt.Errorf("kill device worker %d: still there after %s", p.cmd.Process.Pid, exitLimit)
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

// PID is the number of the process, for messages.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Layers names the layers of containment with "on" or "off: reason", as the
// process greeted.
func (p *Process) Layers() map[string]string { return p.layers }

// Output is the first part of what the process printed, exactly as it did. A
// device's assert says there where it failed.
func (p *Process) Output() string { return p.output.text() }

// StartError says that a process could not take the device.
type StartError struct {
	Fault worker.Fault
	Said  string // what the process printed
}

func (e *StartError) Error() string {
	if e.Said == "" {
		return e.Fault.Sentence()
	}
	return fmt.Sprintf("%s; it printed %q", e.Fault.Sentence(), e.Said)
}

// greet waits for the hello message.
func (p *Process) greet(ctx context.Context) error {
	reply, fault, err := p.await(ctx, startLimit, func() error { return nil })
	switch {
	case err != nil:
		return err
	case fault != nil:
		return &StartError{Fault: *fault, Said: strings.TrimSpace(clean(p.Output()))}
	case reply.kind != typeHello:
		return errors.New("the first message is no greeting")
	}
	p.layers, err = parseHello(reply.lines)
	return err
}

// exchange sends one message and reads its answer. Whatever goes wrong with the
// process ends it and is a fault; an error is the context's, or our own.
func (p *Process) exchange(ctx context.Context, limit time.Duration, out, rights []byte) (message, *worker.Fault, error) {
	reply, fault, err := p.await(ctx, limit, func() error {
		_, _, err := p.conn.WriteMsgUnix(out, rights, nil)
		return err
	})
	if err == nil && fault == nil && reply.kind != typeOK {
		fault = &worker.Fault{Kind: worker.FaultProtocol, Message: "the process greeted a second time"}
	}
	if err == nil && fault == nil {
		return reply, nil, nil
	}
	return message{}, fault, errors.Join(err, p.Kill())
}

// await sends by the given function and reads one message, or says why there is
// none that is an answer.
func (p *Process) await(ctx context.Context, limit time.Duration, send func() error) (message, *worker.Fault, error) {
	reply, err := p.receive(ctx, limit, send)
	var fault *worker.Fault
	if err == nil && reply.kind == typeFault {
		fault, err = parseFault(reply.lines)
	}
	if err != nil {
		fault, err = p.explain(ctx, limit, err)
	}
	return reply, fault, err
}

func (p *Process) receive(ctx context.Context, limit time.Duration, send func() error) (message, error) {
	if err := p.conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return message{}, io.EOF // closed by Kill
	}
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := send(); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return message{}, err
		}
		return message{}, io.EOF // nobody listens any more
	}
	return readMessage(p.conn)
}

// explain says why there was no proper answer.
func (p *Process) explain(ctx context.Context, limit time.Duration, err error) (*worker.Fault, error) {
	var bad malformed
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &bad):
		return &worker.Fault{Kind: worker.FaultProtocol,
			Message: "the process answered with something that is no answer: " + bad.why}, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &worker.Fault{Kind: worker.FaultTimeout, Message: fmt.Sprintf("did not end within %s", limit)}, nil
	case p.waitGone(exitLimit / 2):
		return faultOfExit(p.cmd.ProcessState), nil
	}
	return &worker.Fault{Kind: worker.FaultProtocol, Message: "the process closed its connection to the judge"}, nil
}
