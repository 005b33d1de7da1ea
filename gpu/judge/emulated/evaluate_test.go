package emulated

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/judgetest"
	"example.com/hone/gpu/judge/report"
)

func TestEvaluations(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, test := range map[string]func(*testing.T){
		"the collected kernels":                   b.collection,
		"a correct kernel's verdict is complete":  b.complete,
		"events follow the stages":                b.events,
		"the best kernel is timed beside":         b.bestBeside,
		"acceptance tries other sizes":            b.accept,
		"skipping work in batches is suspect":     b.skipping,
		"a worker writes only in its folder":      b.writing,
		"a worker holds no answers":               b.secrets,
		"cancelling ends everything":              b.cancel,
		"a kernel is held until it may run":       b.holds,
		"many evaluations leave nothing behind":   b.leaks,
		"a broken reference is no kernel's fault": b.brokenReference,
		"texts that need no compiler":             b.texts,
	} {
		t.Run(name, test)
	}
}

func (b *bench) collection(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "kernels", "*", "*.cu"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels found: %v", err)
	}
	b.hurry(t)
	for _, file := range files {
		task, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".cu")
		t.Run(task+"/"+name, func(t *testing.T) {
			text := kernel(t, task, name)
			want, err := expected(text)
			if err != nil {
				t.Fatal(err)
			}
			v := b.evaluate(t.Context(), t, gpu.Request{Task: b.brief(t, task), Dialect: gpu.CUDA, Kernel: text})
			if state, ok := v.Sandbox[want.layer]; ok && want.layer != "" && state != "on" {
				t.Skipf("needs the layer %s, which is %s", want.layer, state)
			}
			if broken := want.met(v); broken != "" {
				t.Errorf("%s\nsummary: %s", broken, v.Summary)
			}
			t.Logf("%s\n%s", v.Summary, v.Feedback)
			if strings.ContainsAny(v.Summary, "\n\x1b") || v.Feedback == "" {
				t.Errorf("summary %q, feedback %q", v.Summary, v.Feedback)
			}
		})
	}
}

func (b *bench) complete(t *testing.T) {
	v := b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "softmax"), Dialect: gpu.CUDA, Kernel: kernel(t, "softmax", "tuned")})
	if v.Outcome != gpu.OutcomeCorrect {
		t.Fatalf("outcome %s: %s", v.Outcome, v.Summary)
	}
	if c := v.Check; c == nil || c.Trials != 5 || c.Passed != 5 || c.Wrong != 0 || c.Total == 0 || c.KernelBenchPass == nil || !*c.KernelBenchPass {
		t.Errorf("check = %+v", c)
	}
	if tm := v.Timing; tm == nil || !tm.Emulated || tm.Device != Device || tm.Method != "host" || tm.MedianUS <= 0 || tm.ClockMHz != nil {
		t.Errorf("timing = %+v", tm)
	}
	speedup := v.Speedup["reference"]
	if ratio := v.Baselines["reference"].MedianUS / v.Timing.MedianUS; speedup != ratio || *v.Score != 0.3+speedup || v.ScoreBasis != "reference" {
		t.Errorf("speedup %v of medians with ratio %v, score %v", speedup, ratio, *v.Score)
	}
	if !strings.Contains(v.Summary, "not a GPU time") || strings.Contains(v.Feedback, "us") && strings.Contains(v.Feedback, "time") {
		t.Errorf("summary %q, feedback %q", v.Summary, v.Feedback)
	}
	if len(v.Stages) != len(gpu.Stages()) || len(v.Resources) == 0 || v.Environment["seeds"] == "" || len(v.Sandbox) == 0 {
		t.Errorf("stages %v, resources %v, environment %v, sandbox %v", v.Stages, v.Resources, v.Environment, v.Sandbox)
	}
	if _, err := json.Marshal(v); err != nil {
		t.Error(err)
	}
}

func (b *bench) events(t *testing.T) {
	var seen []gpu.Stage
	last := map[gpu.Stage]gpu.Status{}
	_, err := b.judge.Evaluate(t.Context(), gpu.Request{
		Task: b.task(t, "vector_add"), Dialect: gpu.CUDA, Kernel: kernel(t, "vector_add", "drops_the_tail"), Limits: limits(),
	}, func(e gpu.Event) {
		if !slices.Contains(seen, e.Stage) {
			seen = append(seen, e.Stage)
		}
		last[e.Stage] = e.Status
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := gpu.Stages()[:4]; !slices.Equal(seen, want) {
		t.Errorf("stages %v, want %v", seen, want)
	}
	if last[gpu.StageRun] != gpu.StatusOK || last[gpu.StageCheck] != gpu.StatusFailed {
		t.Errorf("the stages ended %v", last)
	}
}

func (b *bench) bestBeside(t *testing.T) {
	naive, tuned := kernel(t, "softmax", "naive"), kernel(t, "softmax", "tuned")
	v := b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "softmax"), Dialect: gpu.CUDA, Kernel: tuned, Best: naive})
	if _, ok := v.Speedup["best"]; !ok || v.Baselines["best"].Samples != v.Timing.Samples {
		t.Errorf("speedups %v, best %+v", v.Speedup, v.Baselines["best"])
	}
	v = b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "softmax"), Dialect: gpu.CUDA, Kernel: tuned, Best: "broken"})
	if _, ok := v.Speedup["best"]; ok || v.Outcome != gpu.OutcomeCorrect || len(v.Findings) != 1 || v.Findings[0].Kind != "no_baseline" {
		t.Errorf("with a best that does not compile: %s, speedups %v, findings %+v", v.Summary, v.Speedup, v.Findings)
	}
	fails := strings.Replace(naive, "cudaStream_t stream)\n{", "cudaStream_t stream)\n{\n    static int calls;\n    if (++calls > 2) __builtin_trap();", 1)
	if fails == naive {
		t.Fatal("the best kernel was not changed")
	}
	v = b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "softmax"), Dialect: gpu.CUDA, Kernel: tuned, Best: fails})
	if _, ok := v.Baselines["best"]; ok || v.Outcome != gpu.OutcomeCorrect || len(v.Findings) != 1 || v.Findings[0].Kind != "no_baseline" {
		t.Errorf("with a best that fails while it is timed: %s, baselines %v, findings %+v", v.Summary, v.Baselines, v.Findings)
	}
}

const onlySmall = `
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n && n > %d) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}`

func (b *bench) accept(t *testing.T) {
	task := b.task(t, "vector_add")
	small, err := task.Size("small")
	if err != nil {
		t.Fatal(err)
	}
	req := gpu.Request{Task: task, Dialect: gpu.CUDA, Kernel: fmt.Sprintf(onlySmall, small.Values["n"]-1)}
	if v := b.evaluate(t.Context(), t, req); v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("before acceptance: %s", v.Summary)
	}
	req.Accept = true
	if v := b.evaluate(t.Context(), t, req); v.Outcome != gpu.OutcomeMismatch || !strings.Contains(v.Summary, "size ") {
		t.Errorf("on acceptance: %s: %s, want a mismatch at another size", v.Outcome, v.Summary)
	}
	req.Kernel = kernel(t, "vector_add", "naive")
	if v := b.evaluate(t.Context(), t, req); v.Outcome != gpu.OutcomeCorrect || v.Check.Trials <= 5 {
		t.Errorf("a right kernel on acceptance: %s, %+v", v.Summary, v.Check)
	}
}

// skipper does the work only when the output still holds NaN: once in a batch.
const skipper = `
__global__ void slow(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile float sum = 0;
    for (int k = 0; k < 20; ++k) sum = a[i] + b[i];
    c[i] = sum;
}
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    float last = 0, wantA = 0, wantB = 0;
    cudaMemcpy(&last, c + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaMemcpy(&wantA, a + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaMemcpy(&wantB, b + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    if (last == wantA + wantB) return;
    slow<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}`

// skipping tries a few times: where the machine is so busy that even a skipped call
// takes long, a batch has few calls, and skipping them saves too little to stand out.
func (b *bench) skipping(t *testing.T) {
	b.time(t, 3*time.Second) // enough samples for a doubt on a busy machine too
	var v gpu.Verdict
	for range 5 {
		v = b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "vector_add"), Dialect: gpu.CUDA, Kernel: skipper})
		if v.Outcome == gpu.OutcomeSuspect {
			break
		}
	}
	if v.Outcome != gpu.OutcomeSuspect || *v.Score != 0 || !strings.Contains(v.Summary, "on its own") {
		t.Errorf("%s: %s, score %v; want suspect", v.Outcome, v.Summary, *v.Score)
	}
}

const writer = `
#include <cstdio>
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    const char* paths[] = {"%s", "inside"};
    for (const char* path : paths) {
        if (FILE* file = fopen(path, "w")) {
            fputs("here", file);
            fclose(file);
        }
    }
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}`

func (b *bench) writing(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	v := b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "vector_add"), Dialect: gpu.CUDA, Kernel: fmt.Sprintf(writer, outside)})
	if state := v.Sandbox["landlock"]; state != "on" {
		t.Skipf("landlock is %q: %s", state, v.Summary)
	}
	if _, err := os.Stat(outside); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file outside the worker's folder: %v; verdict %s", err, v.Summary)
	}
}

// secrets looks for the expected output in all that the candidate's process can
// read while it is about to run, and for an input to prove that it can find one.
func (b *bench) secrets(t *testing.T) {
	ctx := t.Context()
	task := b.task(t, "softmax")
	e := &evaluation{shop: b.judge.shop, dealer: b.judge.dealer, req: gpu.Request{Task: task, Kernel: kernel(t, "softmax", "naive"), Limits: limits().WithDefaults()}}
	e.report = report.New(e.req, ignore)
	var err error
	if e.size, err = task.Size(emulatedSize); err != nil {
		t.Fatal(err)
	}
	if e.artifact, err = e.build(ctx, e.req.Kernel); err != nil || !e.artifact.OK() {
		t.Fatal(err, e.artifact.Diagnostics)
	}
	if err := e.dealer.prepare(task, e.size, 5); err != nil {
		t.Fatal(err)
	}
	if e.deck, err = e.dealer.take(ctx); err != nil {
		t.Fatal(err)
	}
	if fault, err := e.load(ctx); fault != nil || err != nil {
		t.Fatal(fault, err)
	}
	defer func() { _ = e.close() }()
	d, fault, err := e.plain.open(ctx, e.size)
	if fault != nil || err != nil {
		t.Fatal(fault, err)
	}
	defer d.close()
	trial := e.deck.trials[0]
	d.lay(trial.inputs, fillerNaN)
	const piece = 64
	for name, c := range map[string]struct {
		bytes []byte
		found bool
	}{
		"an input":                {trial.inputs[0].Bytes[:piece], true},
		"the truth":               {trial.truth[0].Bytes[:piece], false},
		"the baseline's output":   {trial.baseline[0].Bytes[:piece], false},
		"the next trial's inputs": {e.deck.trials[1].inputs[0].Bytes[:piece], false},
	} {
		found, err := holds(e.plain.process.PID(), c.bytes)
		if err != nil {
			t.Skip("cannot look into a process here: ", err)
		}
		if found != c.found {
			t.Errorf("the worker holds %s: %v, want %v", name, found, c.found)
		}
	}
}

// holds searches a process's memory, its open files and its folder.
func holds(pid int, piece []byte) (bool, error) {
	root := fmt.Sprintf("/proc/%d/", pid)
	maps, err := os.ReadFile(root + "maps")
	if err != nil {
		return false, err
	}
	memory, err := os.Open(root + "mem")
	if err != nil {
		return false, err
	}
	defer memory.Close()
	for line := range strings.Lines(string(maps)) {
		var low, high int64
		var rights string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &low, &high, &rights); err != nil || rights[0] != 'r' || high-low > 1<<28 {
			continue
		}
		content := make([]byte, high-low)
		n, _ := memory.ReadAt(content, low)
		if bytes.Contains(content[:n], piece) {
			return true, nil
		}
	}
	var files []string
	for _, pattern := range []string{"fd/*", "cwd/*"} {
		list, _ := filepath.Glob(root + pattern)
		files = append(files, list...)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		content, err := os.ReadFile(file)
		if err == nil && bytes.Contains(content, piece) {
			return true, nil
		}
	}
	return false, nil
}

func (b *bench) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	_, err := b.judge.Evaluate(ctx, gpu.Request{
		Task: b.task(t, "vector_add"), Dialect: gpu.CUDA, Kernel: kernel(t, "vector_add", "endless_loop"),
	}, func(e gpu.Event) {
		if e.Stage == gpu.StageRun {
			began = time.Now()
			time.AfterFunc(300*time.Millisecond, cancel)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("cancelling took %s", took)
	}
}

func (b *bench) holds(t *testing.T) {
	req := gpu.Request{Task: b.brief(t, "vector_add"), Dialect: gpu.CUDA, Kernel: kernel(t, "vector_add", "naive"), Limits: limits()}
	judgetest.Hold(t, b.judge, req, func() {
		if b.judge.dealer.next == nil {
			t.Error("withdrawn: what it would have been judged by is gone")
		}
	})
}

func (b *bench) leaks(t *testing.T) {
	req := gpu.Request{Task: b.brief(t, "vector_add"), Dialect: gpu.CUDA, Kernel: kernel(t, "vector_add", "naive"), Limits: limits()}
	round := func() {
		if _, err := b.judge.Evaluate(t.Context(), req, ignore); err != nil {
			t.Fatal(err)
		}
	}
	b.hurry(t)
	round()
	before := b.settled(t)
	for range 50 {
		round()
	}
	// A spare may be on its way; what every evaluation left behind would be 50.
	after := b.settled(t)
	if after.descriptors > before.descriptors+12 || after.children > before.children+2 || after.folders > before.folders+2 {
		t.Errorf("before 50 evaluations %+v, after them %+v", before, after)
	}
}

// remains counts what evaluations may leave behind.
type remains struct {
	descriptors, children, folders int
}

// settled counts once the next deck is dealt and the spares stand by.
func (b *bench) settled(t *testing.T) remains {
	t.Helper()
	<-b.judge.dealer.next.done
	var now, last remains
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		now = remains{count(t, "/proc/self/fd/*"), children(t), count(t, filepath.Join(b.scratch, "*"))}
		if now == last {
			break
		}
		last = now
	}
	return now
}

func count(t *testing.T, pattern string) int {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func children(t *testing.T) int {
	t.Helper()
	n := 0
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		n += len(strings.Fields(string(text)))
	}
	return n
}

func (b *bench) brokenReference(t *testing.T) {
	for name, native := range map[string]string{
		"does not compile": "template <typename real> void reference(const real* a, const real* b, real* c, int64_t n, cudaStream_t) { c = a }",
		"crashes":          "template <typename real> void reference(const real* a, const real* b, real* c, int64_t n, cudaStream_t) { __builtin_trap(); }",
	} {
		task := b.task(t, "vector_add")
		task.Native = native
		v, err := b.judge.Evaluate(t.Context(), gpu.Request{Task: task, Dialect: gpu.CUDA, Kernel: kernel(t, "vector_add", "naive"), Limits: limits()}, ignore)
		if err == nil || !strings.Contains(err.Error(), "reference of task") {
			t.Errorf("%s: %v, %v; want an error about the reference", name, v.Summary, err)
		}
	}
}

func (b *bench) texts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want gpu.Outcome
	}{
		"nothing":        {" \n", gpu.OutcomeParse},
		"no UTF-8":       {"solve \xff", gpu.OutcomeParse},
		"10 MB":          {"// solve\n" + strings.Repeat("x", 10<<20), gpu.OutcomeRule},
		"without solve":  {"int main() {}", gpu.OutcomeCompile},
		"inline PTX":     {"__global__ void k() {\n  asm(\"ret;\");\n}\nextern \"C\" void solve() {}", gpu.OutcomeUnsupported},
		"escape codes":   {"solve \x1b[31m #error", gpu.OutcomeCompile},
		"only a comment": {"// solve", gpu.OutcomeCompile},
	} {
		v := b.evaluate(t.Context(), t, gpu.Request{Task: b.task(t, "vector_add"), Dialect: gpu.CUDA, Kernel: c.text})
		scored := v.Score != nil
		if v.Outcome != c.want || scored == (c.want == gpu.OutcomeUnsupported) || strings.ContainsAny(v.Summary+v.Feedback, "\x1b") {
			t.Errorf("%s: %s: %q, scored %v; want %s", name, v.Outcome, v.Summary, scored, c.want)
		}
	}
}
