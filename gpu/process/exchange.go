package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Exchange sends one message and has its answer parsed. Whatever goes wrong with
// the process ends it and is a fault, and an answer that parse finds malformed is
// one too; an error is the context's, or our own. A request that cannot be sent
// leaves the process as it was.
func Exchange[T any](ctx context.Context, p *Process, limit time.Duration, r Request,
	parse func(lines [][]string) (T, error)) (T, *Fault, error) {
	var none T
	out, err := r.encode()
	if err != nil {
		return none, nil, err
	}
	reply, fault, err := p.await(ctx, limit, func() error { return p.send(out, r.Files) })
	var result T
	if err == nil && fault == nil {
		if result, err = parse(reply.lines); err == nil {
			return result, nil, nil
		}
		fault, err = p.explain(ctx, limit, err)
	}
	return none, fault, errors.Join(err, p.Kill())
}

// Nothing parses an answer without content.
func Nothing(lines [][]string) (struct{}, error) {
	if len(lines) > 0 {
		return struct{}{}, Malformedf("an answer has lines where none belong")
	}
	return struct{}{}, nil
}

func (p *Process) send(out []byte, files []*os.File) error {
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = syscall.UnixRights(fds...)
	}
	_, _, err := p.conn.WriteMsgUnix(out, rights, nil)
	runtime.KeepAlive(files) // a file that is collected closes its descriptor
	return err
}

// await sends by the given function and reads the answer, or says why there is none.
func (p *Process) await(ctx context.Context, limit time.Duration, send func() error) (message, *Fault, error) {
	reply, err := p.receive(ctx, limit, send)
	var fault *Fault
	switch {
	case err != nil:
	case reply.kind == typeFault:
		fault, err = parseFault(reply.lines, p.program.Faults)
	case reply.kind == typeHello && p.layers != nil:
		err = Malformedf("a second greeting instead of an answer")
	case reply.kind != typeHello && p.layers == nil:
		err = Malformedf("the first message is no greeting")
	}
	if err != nil {
		fault, err = p.explain(ctx, limit, err)
	}
	return reply, fault, err
}

// receive sends by the given function and reads one message, all within the
// limit and the context.
func (p *Process) receive(ctx context.Context, limit time.Duration, send func() error) (message, error) {
	if err := p.wait.begin(limit); err != nil {
		return message{}, io.EOF // closed by Kill
	}
	defer p.wait.end()
	stop := context.AfterFunc(ctx, p.wait.giveUp)
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
func (p *Process) explain(ctx context.Context, limit time.Duration, err error) (*Fault, error) {
	var bad malformed
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &bad):
		return &Fault{Kind: FaultProtocol, Message: "the process answered with something that is no answer: " + bad.why}, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Fault{Kind: FaultTimeout, Message: fmt.Sprintf("did not end within %s", limit)}, nil
	case p.waitGone(p.program.Limits.Kill / 2):
		return faultOfExit(p.cmd.ProcessState), nil
	}
	return &Fault{Kind: FaultProtocol, Message: "the process closed its connection to the judge"}, nil
}
