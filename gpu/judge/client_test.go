package judge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// The test binary is also a judge: started with one of these words it serves,
// for real or by doing what the kernel's text says.
const (
	wordJudge = "judge-of-tests"
	wordFake  = "fake-judge-of-tests"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wordJudge:
			if err := Serve(context.Background(), os.Stdin, os.Stdout, Options{Cache: os.Args[2], Scratch: os.Args[3], Device: DeviceEmulated}); err != nil {
				os.Exit(1)
			}
			os.Exit(0)
		case wordFake:
			serveFake()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// serveFake answers orders one by one and heeds no cancelling.
func serveFake() {
	for {
		var o order
		if readFrame(os.Stdin, &o) != nil {
			return
		}
		if o.Derive != nil {
			_ = writeFrame(os.Stdout, deriveFake(o))
		}
		if o.Request == nil {
			continue
		}
		_ = writeFrame(os.Stdout, answer{ID: o.ID, Event: &gpu.Event{Stage: gpu.StageRules, Detail: o.Request.Kernel}})
		if o.Request.Kernel == "built" {
			_ = writeFrame(os.Stdout, answer{ID: o.ID, Event: &gpu.Event{Stage: gpu.StageCompile, Status: gpu.StatusOK}})
		}
		if o.Held && !releasedFake(o.ID) {
			continue
		}
		switch o.Request.Kernel {
		case "die":
			_, _ = io.WriteString(os.Stderr, "last words")
			os.Exit(7)
		case "leave":
			return
		case "hang":
			time.Sleep(time.Hour)
		case "garble":
			_, _ = os.Stdout.WriteString("this is no frame")
		case "stray":
			_ = writeFrame(os.Stdout, answer{ID: o.ID + 5, Error: "who asked?"})
		case "unusable":
			_ = writeFrame(os.Stdout, answer{ID: o.ID, Error: "no g++: install it", Unusable: true})
		default:
			_ = writeFrame(os.Stdout, answer{ID: o.ID, Verdict: &gpu.Verdict{Summary: o.Request.Kernel}})
		}
	}
}

// releasedFake waits until an order may go on, and tells of one that is cancelled.
func releasedFake(id uint64) bool {
	var next order
	if err := readFrame(os.Stdin, &next); err != nil {
		return false
	}
	if next.Release != id {
		_ = writeFrame(os.Stdout, answer{ID: id, Error: "not released"})
		return false
	}
	return true
}

// deriveFake gives a task a signature, or does what its reference says.
func deriveFake(o order) answer {
	task := *o.Derive
	switch task.Reference {
	case "unfit":
		return answer{ID: o.ID, Error: "tensor mask is bool", Unfit: true}
	case "ready":
		return answer{ID: o.ID, Ready: true}
	}
	task.Signature.Outputs = []tasks.Tensor{{Name: "y", DType: tasks.Float32, Shape: []string{"3"}}}
	return answer{ID: o.ID, Task: &task}
}

// locked is a writer that goroutines may share.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func fakeClient(t *testing.T) *Client {
	t.Helper()
	c, err := Open(Launch{Argv: []string{self(t), wordFake}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func ignore(gpu.Event) {}

func TestClientPassesEventsAndVerdict(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	for _, kernel := range []string{"first", "second"} {
		var events []string
		v, err := c.Evaluate(t.Context(), *request(kernel), func(e gpu.Event) { events = append(events, e.Detail) })
		if err != nil || v.Summary != kernel || len(events) != 1 || events[0] != kernel {
			t.Errorf("verdict %q, error %v, events %v; want %q", v.Summary, err, events, kernel)
		}
	}
}

func TestClientDerives(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	got, err := c.Derive(t.Context(), tasks.Task{ID: "mine/x", Reference: "class Model"})
	if want := `extern "C" void solve(float* y, cudaStream_t stream)`; err != nil || got.ID != "mine/x" || got.Signature.Declare("solve") != want {
		t.Errorf("derived %+v, %v; want %s", got, err, want)
	}
	unfit := (*torch.NoSignatureError)(nil)
	if _, err := c.Derive(t.Context(), tasks.Task{Reference: "unfit"}); !errors.As(err, &unfit) || unfit.Text != "tensor mask is bool" {
		t.Errorf("error = %v, want a NoSignatureError in the judge's own words", err)
	}
	if _, err := c.Derive(t.Context(), tasks.Task{ID: "mine/y", Reference: "ready"}); err == nil || !strings.Contains(err.Error(), "mine/y") {
		t.Errorf("error = %v, want one that names the task", err)
	}
}

func TestClientHoldsAKernel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then func(release, cancel func()) // once the judge has begun
		want error
	}{
		{"until it may run", func(release, _ func()) { release() }, nil},
		{"until it is cancelled", func(_, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := fakeClient(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hold := make(chan struct{})
			req := gpu.Request{Kernel: "held", Hold: hold}
			v, err := c.Evaluate(ctx, req, func(gpu.Event) { tt.then(func() { close(hold) }, cancel) })
			if !errors.Is(err, tt.want) || err == nil && v.Summary != "held" {
				t.Errorf("verdict %q, error %v, want %v", v.Summary, err, tt.want)
			}
			if v, err := c.Evaluate(t.Context(), *request("next"), ignore); err != nil || v.Summary != "next" {
				t.Errorf("the next evaluation: %q, %v", v.Summary, err)
			}
		})
	}
}

// A judge may wait for word as long as that takes, and not longer for anything else.
func TestPatienceWithAHeldKernel(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	for kernel, answers := range map[string]bool{"built": true, "hangs in its compiler": false} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			c := fakeClient(t)
			process, err := c.acquire(t.Context(), ignore)
			if err != nil {
				t.Fatal(err)
			}
			hold := make(chan struct{})
			time.AfterFunc(5*patience, func() { close(hold) })
			_, usable, err := process.ask(t.Context(), order{Request: &gpu.Request{Kernel: kernel, Hold: hold}, Held: true}, patience, ignore)
			if usable != answers || (err == nil) != answers {
				t.Errorf("usable %t, error %v", usable, err)
			}
			if !usable {
				_ = process.end()
				process = nil
			}
			c.slot <- process
		})
	}
}

func TestClientSurvivesItsJudge(t *testing.T) {
	t.Parallel()
	for kernel, want := range map[string]string{
		"die":    "exit status 7",
		"leave":  "exited without a verdict",
		"garble": "frame",
		"stray":  "answers to order",
	} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			c := fakeClient(t)
			_, err := c.Evaluate(t.Context(), *request(kernel), ignore)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want %q", err, want)
			}
			if v, err := c.Evaluate(t.Context(), *request("next"), ignore); err != nil || v.Summary != "next" {
				t.Errorf("the next evaluation: %q, %v", v.Summary, err)
			}
		})
	}
}

func TestClientReplacesAJudgeThatDiedIdle(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	process := <-c.slot
	if err := syscall.Kill(process.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-process.waited
	c.slot <- process
	if v, err := c.Evaluate(t.Context(), *request("next"), ignore); err != nil || v.Summary != "next" {
		t.Errorf("after its death: %q, %v", v.Summary, err)
	}
}

func TestClientCancelsEvenAStubbornJudge(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	_, err := c.Evaluate(ctx, *request("hang"), func(gpu.Event) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("cancelling took %s", took)
	}
	if v, err := c.Evaluate(t.Context(), *request("next"), ignore); err != nil || v.Summary != "next" {
		t.Errorf("the next evaluation: %q, %v", v.Summary, err)
	}
}

func TestClientTellsAnUnusableMachine(t *testing.T) {
	t.Parallel()
	_, err := fakeClient(t).Evaluate(t.Context(), *request("unusable"), ignore)
	if !errors.Is(err, ErrUnusable) || err.Error() != "no g++: install it" {
		t.Errorf("error = %v, want ErrUnusable in the judge's own words", err)
	}
}

func TestClientQueuesCallers(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	var group sync.WaitGroup
	for _, kernel := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			if v, err := c.Evaluate(t.Context(), *request(kernel), ignore); err != nil || v.Summary != kernel {
				t.Errorf("%s: %q, %v", kernel, v.Summary, err)
			}
		})
	}
	group.Wait()
}

// A caller who has to wait is told so at once, and can still give up.
func TestClientSaysThatItWaits(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	process := <-c.slot // somebody else uses the judge
	ctx, cancel := context.WithCancel(t.Context())
	var seen []gpu.Event
	_, err := c.Evaluate(ctx, *request("a"), func(e gpu.Event) {
		seen = append(seen, e)
		cancel()
	})
	if !errors.Is(err, context.Canceled) || len(seen) != 1 || !strings.Contains(seen[0].Detail, "waiting") {
		t.Errorf("got %v after %+v", err, seen)
	}
	c.slot <- process
}

func TestClientRefusesAfterClose(t *testing.T) {
	t.Parallel()
	c := fakeClient(t)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Evaluate(t.Context(), *request("late"), ignore); err == nil {
		t.Error("a closed client evaluates")
	}
}

func TestOpenNamesAMissingJudge(t *testing.T) {
	t.Parallel()
	if _, err := Open(Launch{Argv: []string{"/absent/hone", "judge"}}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/absent/hone") {
		t.Errorf("Open: %v, want the missing path", err)
	}
	if _, err := Open(Launch{}); err == nil {
		t.Error("Open without a command line succeeds")
	}
}

func TestClientPassesTheLogOn(t *testing.T) {
	t.Parallel()
	var log locked
	c, err := Open(Launch{Argv: []string{self(t), wordFake}, Stderr: &log})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Evaluate(t.Context(), *request("die"), ignore)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.b.String() != "last words" {
		t.Errorf("log = %q", log.b.String())
	}
}
