package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// serving runs a server on pipes with a fake evaluation and returns its two ends.
func serving(t *testing.T, evaluate func(context.Context, gpu.Request, func(gpu.Event)) (gpu.Verdict, error)) (send func(order), receive func() answer, stop func() error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s := &server{evaluate: evaluate, prepare: ready, out: out, answers: make(chan answer), holds: map[uint64]chan struct{}{}}
	ctx, cancel := context.WithCancel(t.Context())
	orders, ended, result := make(chan order), make(chan error, 1), make(chan error, 1)
	go func() { ended <- readOrders(ctx, in, orders) }()
	go func() { result <- s.serve(ctx, orders, ended) }()
	t.Cleanup(cancel)
	send = func(o order) {
		if err := writeFrame(toServer, o); err != nil {
			t.Error(err)
		}
	}
	receive = func() answer {
		var a answer
		if err := readFrame(fromServer, &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	stop = func() error {
		_ = toServer.Close()
		return <-result
	}
	return send, receive, stop
}

// obedient does what the kernel's text says.
func obedient(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	observe(gpu.Event{Stage: gpu.StageRules, Detail: req.Kernel})
	switch req.Kernel {
	case "wait":
		<-ctx.Done()
		return gpu.Verdict{}, ctx.Err()
	case "held":
		observe(gpu.Event{Stage: gpu.StageCompile, Detail: fmt.Sprint(req.Held())})
		<-req.Hold
	case "panic":
		panic("out of cheese")
	case "fail":
		return gpu.Verdict{}, fmt.Errorf("%w: no g++", ErrUnusable)
	}
	return gpu.Verdict{Summary: req.Kernel}, nil
}

// ready gets ready for every task but one.
func ready(_ context.Context, task tasks.Task) error {
	if task.ID == "broken" {
		return fmt.Errorf("%w: no g++", ErrUnusable)
	}
	return nil
}

func request(kernel string) *gpu.Request { return &gpu.Request{Kernel: kernel} }

func TestServeAnswersInOrder(t *testing.T) {
	t.Parallel()
	send, receive, stop := serving(t, obedient)
	go func() {
		for id, kernel := range []string{"a", "fail", "panic", "b"} {
			send(order{ID: uint64(id + 1), Request: request(kernel)})
		}
	}()
	for id, want := range []string{"a", "no g++", "out of cheese", "b"} {
		if event := receive(); event.ID != uint64(id+1) || event.Event == nil {
			t.Errorf("answer %+v, want an event of order %d", event, id+1)
		}
		last := receive()
		text := last.Error
		if last.Verdict != nil {
			text = last.Verdict.Summary
		}
		if !last.last() || !strings.Contains(text, want) || last.Unusable != (want == "no g++") {
			t.Errorf("answer %+v, want %q", last, want)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestServeGetsReady(t *testing.T) {
	t.Parallel()
	send, receive, stop := serving(t, obedient)
	send(order{ID: 1, Prepare: &tasks.Task{ID: "good"}})
	if a := receive(); a.ID != 1 || !a.Ready || a.Error != "" {
		t.Errorf("got %+v, want the judge ready", a)
	}
	send(order{ID: 2, Prepare: &tasks.Task{ID: "broken"}})
	if a := receive(); a.ID != 2 || a.Ready || !a.Unusable {
		t.Errorf("got %+v, want an unusable machine", a)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestServeCancelsWhatRunsAndWhatWaits(t *testing.T) {
	t.Parallel()
	send, receive, stop := serving(t, obedient)
	send(order{ID: 1, Request: request("wait")})
	receive()
	send(order{ID: 2, Request: request("waiting in the queue")})
	send(order{ID: 3, Request: request("after")})
	send(order{Cancel: 2})
	send(order{Cancel: 99})
	send(order{Cancel: 1})
	if a := receive(); a.ID != 1 || !strings.Contains(a.Error, context.Canceled.Error()) {
		t.Errorf("answer %+v, want the cancelled order 1", a)
	}
	if a := receive(); a.ID != 3 {
		t.Errorf("answer %+v, want order 3: order 2 was cancelled while it waited", a)
	}
	receive()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestServeHoldsUntilReleased(t *testing.T) {
	t.Parallel()
	send, receive, stop := serving(t, obedient)
	send(order{Release: 1}) // of nothing that there is
	send(order{ID: 1, Request: request("held"), Held: true})
	receive()
	if a := receive(); a.Event == nil || a.Event.Detail != "true" {
		t.Errorf("answer %+v, want a kernel that is held", a)
	}
	send(order{ID: 2, Request: request("held"), Held: true})
	send(order{Release: 2}) // while it waits
	send(order{Release: 1})
	send(order{Release: 1})
	if a := receive(); a.ID != 1 || a.Verdict == nil {
		t.Errorf("answer %+v, want the verdict of order 1", a)
	}
	receive()
	if a := receive(); a.Event == nil || a.Event.Detail != "false" {
		t.Errorf("answer %+v, want a kernel that may run", a)
	}
	if a := receive(); a.ID != 2 || a.Verdict == nil {
		t.Errorf("answer %+v, want the verdict of order 2", a)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	send, receive, stop := serving(t, func(ctx context.Context, _ gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
		defer close(ended)
		observe(gpu.Event{})
		<-ctx.Done()
		return gpu.Verdict{}, ctx.Err()
	})
	send(order{ID: 1, Request: request("")})
	receive()
	if err := stop(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	default:
		t.Error("Serve returned before the evaluation had ended")
	}
}

func TestServeReportsABrokenFrame(t *testing.T) {
	t.Parallel()
	err := readOrders(t.Context(), strings.NewReader("\x03\x00\x00\x00abc"), nil)
	if err == nil || errors.Is(err, io.EOF) {
		t.Errorf("readOrders = %v, want the frame's error", err)
	}
}
