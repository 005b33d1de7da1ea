package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func program(t *testing.T, greeting string) Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program{
		Name: "fake", Path: self, Arguments: []string{"fake=" + greeting}, Scratch: t.TempDir(), Faults: []FaultKind{"bad_luck"},
		Limits: Limits{Start: time.Minute, Close: 200 * time.Millisecond, Kill: 2 * time.Second},
	}
}

func start(t *testing.T) *Process {
	t.Helper()
	p, err := Start(t.Context(), program(t, greetsWell))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// ask has a fake behave as the request says.
func ask(ctx context.Context, p *Process, request string, limit time.Duration) (string, *Fault, error) {
	return Exchange(ctx, p, limit, Request{Type: Call, Lines: []string{request}}, func(lines [][]string) (text string, err error) {
		err = ReadLines(lines, func(key string, fields *Fields) bool {
			text = fields.Text()
			return key == "echo"
		})
		return text, err
	})
}

// done asks for what must succeed.
func done(t *testing.T, p *Process, request string) {
	t.Helper()
	if _, fault, err := ask(t.Context(), p, request, time.Minute); fault != nil || err != nil {
		t.Fatalf("%s: %v, %v", request, fault, err)
	}
}

func TestStartRefusesABadGreeting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		greeting string
		kind     FaultKind
		want     string
	}{
		"an old protocol": {greetsOld, FaultProtocol, `speaks protocol "0"`},
		"garbage":         {greetsNoise, FaultProtocol, "unknown type"},
		"an answer":       {greetsOK, FaultProtocol, "no greeting"},
		"a fault":         {greetsFault, FaultLoad, "no descriptor 3"},
		"its death":       {dies, FaultExit, "exited with code 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := program(t, c.greeting)
			p, err := Start(t.Context(), fake)
			if err == nil {
				_ = p.Kill()
			}
			var refused *StartError
			if !errors.As(err, &refused) || refused.Fault.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Start: %v, want %q", err, c.want)
			}
			empty(t, fake.Scratch)
		})
	}
}

func TestStartQuotesLastWords(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), program(t, dies))
	if err == nil || !strings.Contains(err.Error(), "cannot find its library") {
		t.Errorf("Start: %v, want what the process printed", err)
	}
}

func TestStartNamesAMissingProgram(t *testing.T) {
	t.Parallel()
	absent := program(t, greetsWell)
	absent.Path = filepath.Join(absent.Scratch, "absent")
	if _, err := Start(t.Context(), absent); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), absent.Path) {
		t.Errorf("Start: %v, want the missing path", err)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	mute := program(t, greetsNever)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, mute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start: %v, want the context's error", err)
	}
	empty(t, mute.Scratch)
}

func TestStartEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	mute := program(t, greetsNever)
	mute.Limits.Start = 50 * time.Millisecond
	_, err := Start(t.Context(), mute)
	var refused *StartError
	if !errors.As(err, &refused) || refused.Fault.Kind != FaultTimeout {
		t.Errorf("Start: %v, want a timeout", err)
	}
}

func TestGreetingTellsTheLayers(t *testing.T) {
	t.Parallel()
	if layers := start(t).Layers(); len(layers) != 1 || layers["seccomp"] != "off: a test" {
		t.Errorf("layers %v", layers)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request string
		kind    FaultKind
		want    string
	}{
		"reported":        {"fault", "bad_luck", "read x[4096] of 4096 (kernel k, line 12, block (3,0,0), thread (31,0,0))"},
		"exit 0":          {"exit 0", FaultExit, "exited with code 0 instead of returning"},
		"exit 7":          {"exit 7", FaultExit, "exited with code 7"},
		"killed":          {"kill", FaultSignal, "too much memory"},
		"hang":            {"hang", FaultTimeout, "did not end within 300ms"},
		"hangs up, stays": {"hangup", FaultProtocol, "closed its connection"},
		"unknown type":    {`raw "\x00\x00\x00\x00\x09\x00\x00\x00"`, FaultProtocol, "unknown type 9"},
		"second greeting": {`raw "\x00\x00\x00\x00\x01\x00\x00\x00"`, FaultProtocol, "second greeting"},
		"too long":        {`raw "\xff\xff\xff\xff\x02\x00\x00\x00"`, FaultProtocol, "announces 4294967295 bytes"},
		"unknown line":    {`raw "\x04\x00\x00\x00\x02\x00\x00\x00why\n"`, FaultProtocol, `unknown line "why"`},
		"no last newline": {`raw "\x03\x00\x00\x00\x02\x00\x00\x00why"`, FaultProtocol, "has no end"},
		"stops half way":  {`raw "\x03\x00\x00\x00\x02\x00\x00\x00w"`, FaultTimeout, "did not end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			limit := time.Minute
			if c.kind == FaultTimeout {
				limit = 300 * time.Millisecond
			}
			_, fault, err := ask(t.Context(), p, c.request, limit)
			if err != nil || fault == nil || fault.Kind != c.kind || !strings.Contains(fault.Sentence(), c.want) {
				t.Errorf("fault = %+v, error %v; want %s: %q", fault, err, c.kind, c.want)
			}
			if p.Alive() {
				t.Error("the process is still there after its fault")
			}
			empty(t, filepath.Dir(p.scratch))
		})
	}
}

// TestRequestsThatCannotBeSent leave the process as it was.
func TestRequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	p := start(t)
	for name, line := range map[string]string{"a line break": "echo a\nb", "too long": "echo " + strings.Repeat("x", maxBody)} {
		if _, fault, err := ask(t.Context(), p, line, time.Minute); err == nil {
			t.Errorf("%s was sent: %v", name, fault)
		}
	}
	if text, fault, err := ask(t.Context(), p, "echo still here", time.Minute); text != "still here" || fault != nil || err != nil {
		t.Errorf("then %q, %v, %v", text, fault, err)
	}
}

func TestCancelKillsAndReturnsTheContextsError(t *testing.T) {
	t.Parallel()
	p := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, fault, err := ask(ctx, p, "hang", time.Minute)
	if fault != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v; want context.Canceled", fault, err)
	}
	if p.Alive() {
		t.Error("the process outlives the cancelled call")
	}
}

// underWay reports whether an exchange waits for its answer.
func (w *patience) underWay() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.until.IsZero()
}

// TestPaused holds that a paused process answers nothing, and everything afterwards.
func TestPaused(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.Pause()
	state := func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
		if err != nil {
			t.Skip(err)
		}
		return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
	}
	for state() != "T" {
		if t.Context().Err() != nil || !p.Alive() {
			t.Fatal("it did not stop")
		}
	}
	p.Resume()
	done(t, p, "echo")
	p.Pause()
	if err := p.Kill(); err != nil || p.Alive() {
		t.Errorf("a paused process is killed: %v", err)
	}
	p.Resume() // of nothing
}

// TestTimeStandsStillForThePaused holds that a request under way is not given up for the
// time that its process was paused, and that its own time still counts.
func TestTimeStandsStillForThePaused(t *testing.T) {
	t.Parallel()
	p := start(t)
	const limit = 300 * time.Millisecond
	began, answered := time.Now(), make(chan *Fault, 1)
	go func() {
		_, fault, _ := ask(t.Context(), p, "hang", limit)
		answered <- fault
	}()
	for !p.wait.underWay() {
		runtime.Gosched()
	}
	p.Pause()
	select {
	case fault := <-answered:
		t.Fatalf("given up while it was paused: %v", fault)
	case <-time.After(3 * limit):
	}
	p.Resume()
	fault := <-answered
	if took := time.Since(began); fault == nil || fault.Kind != FaultTimeout || took < 3*limit {
		t.Errorf("got %v after %s", fault, took)
	}
}

func TestDescendantsDieWithTheProcess(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, fault, err := ask(t.Context(), p, "leave", time.Minute)
	if err != nil || fault == nil || fault.Kind != FaultExit {
		t.Fatalf("got %v, %v", fault, err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(p.Output()))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "its child is gone", func() bool { return !running(child) })
}

func TestProcessSeesNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("HONE_TEST_SECRET", "key")
	given := program(t, greetsWell)
	given.Environment = []string{"HONE_TEST_GIVEN=1"}
	p, err := Start(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	done(t, p, "environment")
	_ = p.Close()
	folder, environment, _ := strings.Cut(p.Output(), "\n")
	if !strings.Contains(environment, "HONE_TEST_GIVEN=1\n") {
		t.Errorf("the process was not given its variable: %q", environment)
	}
	for _, line := range strings.Fields(environment) {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "HOME", "TMPDIR", "PWD":
			if value != folder {
				t.Errorf("%s is %q, want the scratch folder %q", name, value, folder)
			}
		case "LANG", "PATH", "HONE_TEST_GIVEN":
		default:
			t.Errorf("the process was given %s", line)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	p := start(t)
	done(t, p, "print 1000000")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(p.Output()); got != keptOutput {
		t.Errorf("kept %d bytes, want %d", got, keptOutput)
	}
}

func TestScratchFolderIsRemoved(t *testing.T) {
	t.Parallel()
	p := start(t)
	done(t, p, "litter")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	empty(t, filepath.Dir(p.scratch))
}

func TestUseAfterTheEndIsAFault(t *testing.T) {
	t.Parallel()
	p := start(t)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("a second Kill: %v", err)
	}
	_, fault, err := ask(t.Context(), p, "echo", time.Minute)
	if err != nil || fault == nil || fault.Kind != FaultSignal {
		t.Errorf("got %v, %v; want a fault", fault, err)
	}
}

func TestSignalsInWords(t *testing.T) {
	t.Parallel()
	for signal, want := range map[string]Fault{
		"SEGV": {Kind: FaultSignal, Message: "segmentation fault"},
		"FPE":  {Kind: FaultSignal, Message: "division by zero"},
		"ILL":  {Kind: FaultSignal, Message: "illegal instruction"},
		"USR1": {Kind: FaultSignal, Message: "user defined signal 1"},
		"SYS":  {Kind: FaultForbidden, Message: "forbidden system call"},
	} {
		cmd := exec.Command("/bin/sh", "-c", "kill -"+signal+" $$")
		if err := cmd.Run(); err == nil {
			t.Errorf("SIG%s did not end the shell", signal)
		}
		if fault := faultOfExit(cmd.ProcessState); fault.Kind != want.Kind || !strings.Contains(fault.Message, want.Message) {
			t.Errorf("SIG%s: %+v, want %+v", signal, fault, want)
		}
	}
}

// empty fails the test when the folder still has something in it.
func empty(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind in the scratch folder: %v, %v", entries, err)
	}
}

// running reports whether a process is there and no zombie that waits to be reaped.
func running(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 5 s: %s", what)
		}
	}
}
