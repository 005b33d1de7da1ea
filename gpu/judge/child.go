package judge

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// child is a running judge process, as the program sees it.
type child struct {
	cmd     *exec.Cmd
	in      *os.File
	answers chan answer // closed when the judge says no more
	stop    chan struct{}
	failure error // why it says no more; read after answers is closed
	waited  chan struct{}
	exit    error
	id      uint64 // of the last order
}

// spawn starts a judge. It runs in a process group of its own, so that an
// interrupt typed at the terminal reaches the program alone, which then decides.
func spawn(launch Launch) (*child, error) {
	if len(launch.Argv) == 0 {
		return nil, errors.New("start the judge: no command line was given")
	}
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.Stderr = launch.Env, launch.Stderr
	cmd.SysProcAttr = ownGroup()
	// A grandchild that still holds stderr must not keep Wait from returning.
	cmd.WaitDelay = quitLimit
	theirs, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the judge: %w", err)
	}
	defer theirs.Close()
	cmd.Stdin = theirs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = in.Close()
		return nil, fmt.Errorf("start the judge %s: %w", launch.Argv[0], err)
	}
	p := &child{cmd: cmd, in: in, answers: make(chan answer), stop: make(chan struct{}), waited: make(chan struct{})}
	go p.listen(out)
	return p, nil
}

// send gives the judge an order, which it takes at once when it is in order.
func (p *child) send(o order) error {
	if err := p.in.SetWriteDeadline(time.Now().Add(quitLimit)); err != nil {
		return fmt.Errorf("ask the judge: %w", err)
	}
	if err := writeFrame(p.in, o); err != nil {
		return fmt.Errorf("ask the judge: %w", err)
	}
	return nil
}

// listen passes answers on, and reaps the process when there are no more.
func (p *child) listen(out io.Reader) {
	p.failure = p.read(out)
	close(p.answers)
	p.exit = p.cmd.Wait()
	close(p.waited)
}

func (p *child) read(out io.Reader) error {
	for {
		var a answer
		if err := readFrame(out, &a); err != nil {
			return err
		}
		select {
		case p.answers <- a:
		case <-p.stop:
			return errors.New("it was told to end")
		}
	}
}

// dead reports whether the judge has ended while nobody asked it anything.
func (p *child) dead() bool {
	select {
	case <-p.waited:
		return true
	default:
		return false
	}
}

// why explains the end of the answers, after they are closed.
func (p *child) why() error {
	if !errors.Is(p.failure, io.EOF) {
		return p.failure
	}
	select {
	case <-p.waited:
		if p.exit != nil {
			return p.exit
		}
		return errors.New("it exited without a verdict")
	case <-time.After(quitLimit):
		return errors.New("it closed its output")
	}
}

// end lets the judge end by itself, and kills it when it does not.
func (p *child) end() error {
	close(p.stop)
	_ = p.in.Close()
	for _, last := range []bool{false, true} {
		select {
		case <-p.waited:
			return nil
		case <-time.After(quitLimit):
		}
		if !last {
			p.kill()
		}
	}
	return fmt.Errorf("end the judge: process %d is still there", p.cmd.Process.Pid)
}
