package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The limit for everything but a candidate's own code.
const mapLimit = 10 * time.Second

// Bits of [Call].Flags.
const (
	FlagKernels = 1 << iota // answer with one line per kernel launched
	FlagChecked             // the loaded object is the checked build
)

// The schedules that have a fixed order of blocks and threads. From
// ScheduleSeeded on, the order is drawn from the call's seed.
const (
	ScheduleForward = iota
	ScheduleReverse
	ScheduleSeeded
)

// Call is one message that has solve run.
type Call struct {
	Flags    int
	Schedule int
	Seed     uint64
	Repeat   int  // runs one after the other in one call
	Poison   byte // what shared memory holds before each block
	Dims     []int64
	Limit    time.Duration // for all repetitions together
}

func (c Call) lines() []string {
	lines := []string{
		"flags\t" + strconv.Itoa(c.Flags),
		"schedule\t" + strconv.Itoa(c.Schedule),
		"seed\t" + strconv.FormatUint(c.Seed, 10),
		"repeat\t" + strconv.Itoa(c.Repeat),
		fmt.Sprintf("poison\t%02x", c.Poison),
	}
	for _, d := range c.Dims {
		lines = append(lines, "dim\t"+strconv.FormatInt(d, 10))
	}
	return lines
}

// Load has the process load a shared object, whose initialisers run within limit.
func (p *Process) Load(ctx context.Context, object string, limit time.Duration) (*Fault, error) {
	if strings.ContainsAny(object, "\t\n") {
		return nil, fmt.Errorf("load %q: the path has a tab or a line break", object)
	}
	_, fault, err := p.exchange(ctx, limit, encode(typeLoad, "path\t"+object), nil)
	return fault, err
}

// Map gives the process the buffers of its next calls, in the order of solve's pointers.
func (p *Process) Map(ctx context.Context, buffers []*Buffer) (*Fault, error) {
	lines := make([]string, len(buffers))
	fds := make([]int, len(buffers))
	for i, b := range buffers {
		mode := "r"
		if b.Writable {
			mode = "w"
		}
		lines[i] = fmt.Sprintf("buffer\t%s\t%d\t%s", b.Name, b.bytes, mode)
		fds[i] = int(b.file.Fd())
	}
	_, fault, err := p.exchange(ctx, mapLimit, encode(typeMap, lines...), syscall.UnixRights(fds...))
	return fault, err
}

// Call runs solve. The result is nil when there is a fault.
func (p *Process) Call(ctx context.Context, call Call) (CallResult, *Fault, error) {
	return p.exchange(ctx, call.Limit, encode(typeCall, call.lines()...), nil)
}

// greet waits for the hello message.
func (p *Process) greet(ctx context.Context) error {
	reply, err := p.receive(ctx, startLimit, func() error { return nil })
	if err != nil {
		fault, err := p.explain(ctx, startLimit, err)
		if err != nil {
			return err
		}
		return fmt.Errorf("no greeting: %s%s", fault.Message, p.lastWords())
	}
	switch reply.kind {
	case typeHello:
		p.layers, err = parseHello(reply.lines)
	case typeFault:
		var fault *Fault
		if fault, err = parseFault(reply.lines); err == nil {
			err = errors.New(fault.Sentence())
		}
	default:
		err = malformedf("the first message is no greeting")
	}
	return err
}

// lastWords quotes what a process that would not start has printed.
func (p *Process) lastWords() string {
	text := strings.TrimSpace(clean(p.Output()))
	if text == "" {
		return ""
	}
	return fmt.Sprintf(", and printed %q", text)
}

// exchange sends one message and reads its answer. Whatever goes wrong with the
// process ends it and is a fault; an error is the context's, or our own.
func (p *Process) exchange(ctx context.Context, limit time.Duration, out, rights []byte) (CallResult, *Fault, error) {
	reply, err := p.receive(ctx, limit, func() error {
		_, _, err := p.conn.WriteMsgUnix(out, rights, nil)
		return err
	})
	var result CallResult
	var fault *Fault
	if err == nil {
		result, fault, err = interpret(reply)
	}
	switch {
	case err != nil:
		fault, err = p.explain(ctx, limit, err)
	case fault == nil:
		return result, nil, nil
	}
	return CallResult{}, fault, errors.Join(err, p.Kill())
}

// receive sends by the given function and reads one message, all within the
// limit and the context.
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

func interpret(reply message) (CallResult, *Fault, error) {
	switch reply.kind {
	case typeOK:
		result, err := parseOK(reply.lines)
		return result, nil, err
	case typeFault:
		fault, err := parseFault(reply.lines)
		return CallResult{}, fault, err
	}
	return CallResult{}, nil, malformedf("a second greeting instead of an answer")
}

// explain says why there was no proper answer.
func (p *Process) explain(ctx context.Context, limit time.Duration, err error) (*Fault, error) {
	var bad malformed
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &bad):
		return &Fault{Kind: FaultProtocol, Message: "the process answered with something that is no answer: " + bad.why}, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Fault{Kind: FaultTimeout, Message: fmt.Sprintf("did not end within %s", limit)}, nil
	case p.waitGone(exitLimit / 2):
		fault := faultOfExit(p.cmd.ProcessState)
		return &fault, nil
	}
	return &Fault{Kind: FaultProtocol, Message: "the process closed its connection to the judge"}, nil
}
