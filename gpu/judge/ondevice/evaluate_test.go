package ondevice

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/judgetest"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/tasks"
)

// TestOnDevice holds whole evaluations on the first GPU. It is one test because
// they share a device that is slow to open.
func TestOnDevice(t *testing.T) {
	b := newBench(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a correct kernel's verdict is complete", b.complete},
		{"every task's naive and tuned kernel", b.tasks},
		{"the collected kernels", b.collection},
		{"the best kernel is timed beside", b.bestBeside},
		{"acceptance tries other sizes", b.accept},
		{"work hidden from events does not pay", b.hidden},
		{"cached answers do not pay", b.caching},
		{"a hang costs its limit, and the next evaluation nothing", b.hang},
		{"nvcc when asked for", b.nvcc},
		{"cancelling ends everything", b.cancel},
		{"a kernel is held until it may run", b.holds},
		{"a broken reference is no kernel's fault", b.brokenReference},
		{"many evaluations leave nothing behind", b.leaks},
	} {
		t.Run(test.name, test.run)
	}
}

// bench is an evaluator that the tests share.
type bench struct {
	judge   *Evaluator
	catalog tasks.Catalog
	scratch string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{catalog: catalog, scratch: t.TempDir()}
	began := time.Now()
	cache := t.TempDir()
	opened, err := platform.Open(t.Context(), platform.Options{
		Cache: cache, Libraries: cuda.Options{Toolkit: "/usr/local/cuda"},
		Visible: platform.Visible{Devices: os.Getenv("CUDA_VISIBLE_DEVICES"), Order: os.Getenv("CUDA_DEVICE_ORDER")},
	})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device to judge on: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	if b.judge, err = Open(t.Context(), Options{Platform: opened, Cache: cache, Scratch: b.scratch}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, opened in %s", opened.Facts.Name, time.Since(began))
	t.Cleanup(func() {
		if err := errors.Join(b.judge.Close(), opened.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) task(t *testing.T, name string) tasks.Task {
	t.Helper()
	task, err := b.catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func (b *bench) request(t *testing.T, task, kernel string) gpu.Request {
	t.Helper()
	return gpu.Request{Task: b.task(t, task), Dialect: gpu.CUDA, Kernel: kernel, Limits: gpu.Limits{Run: 3 * time.Second}}
}

func (b *bench) evaluate(t *testing.T, req gpu.Request) gpu.Verdict {
	t.Helper()
	began := time.Now()
	v, err := b.judge.Evaluate(t.Context(), req, ignore)
	if err != nil {
		t.Fatalf("the judge could not tell: %v", err)
	}
	t.Logf("%s, %s in %s", req.Task.Name, v.Outcome, time.Since(began).Round(time.Millisecond))
	for _, s := range v.Stages {
		t.Logf("  %-8s %-8s %7.1f ms  %s", s.Name, s.Status, s.MS, s.Detail)
	}
	return v
}

func ignore(gpu.Event) {}

// kernel reads a kernel of the collection.
func kernel(t *testing.T, task, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(collection, task, name+".cu"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var collection = filepath.Join("..", "..", "testdata", "kernels")

func (b *bench) complete(t *testing.T) {
	// The second one uses what the first left behind.
	b.evaluate(t, b.request(t, "softmax", kernel(t, "softmax", "tuned")))
	v := b.evaluate(t, b.request(t, "softmax", kernel(t, "softmax", "tuned")))
	if v.Outcome != gpu.OutcomeCorrect {
		t.Fatalf("outcome %s: %s", v.Outcome, v.Summary)
	}
	t.Logf("%s; stages %+v", v.Summary, v.Stages)
	t.Logf("timing %+v, methods %+v, roofline %+v, resources %+v", *v.Timing, v.Methods, *v.Roofline, v.Resources)
	if c := v.Check; c == nil || c.Trials != 5 || c.Passed != 5 || c.Wrong != 0 || c.KernelBenchPass == nil || !*c.KernelBenchPass {
		t.Errorf("check = %+v", c)
	}
	tm := v.Timing
	if tm.Emulated || tm.Device != b.judge.shop.gpu.Facts.Name || tm.Method != "cold" || tm.MedianUS <= 0 || tm.CI95US == nil || tm.HostSlopeUS == nil {
		t.Errorf("timing = %+v", tm)
	}
	if b.judge.shop.gpu.Monitor != nil && (tm.ClockMHz == nil || tm.Throttled == nil) {
		t.Errorf("clock %v, throttled %v: NVML is there", tm.ClockMHz, tm.Throttled)
	}
	for _, method := range []string{"warm", "sustained", "graph"} {
		if m, ok := v.Methods[method]; !ok || m.MedianUS <= 0 || m.Method != method {
			t.Errorf("method %s = %+v", method, m)
		}
	}
	if *v.Score != 0.3+v.Speedup["reference"] || v.Baselines["reference"].MedianUS <= 0 {
		t.Errorf("score %v, speedup %v, baselines %+v", *v.Score, v.Speedup, v.Baselines)
	}
	for _, r := range v.Resources {
		if r.Registers == nil || r.SpillBytes == nil || r.Occupancy == nil || r.Launches != 1 {
			t.Errorf("resources %+v", r)
		}
	}
	if len(v.Resources) == 0 || v.Environment["driver"] == "" || len(v.Sandbox) == 0 {
		t.Errorf("resources %v, environment %v, sandbox %v", v.Resources, v.Environment, v.Sandbox)
	}
}

func (b *bench) tasks(t *testing.T) {
	for _, task := range b.catalog.All() {
		for _, name := range []string{"naive", "tuned"} {
			v := b.evaluate(t, b.request(t, task.ID, kernel(t, task.Name, name)))
			if v.Outcome != gpu.OutcomeCorrect {
				t.Errorf("%s/%s: %s", task.Name, name, v.Summary)
				continue
			}
			t.Logf("%-18s %-6s %9.2f us, %5.2fx the reference, %5.1f%% of the roofline (%s)",
				task.Name, name, v.Timing.MedianUS, v.Speedup["reference"], v.Roofline.Percent, v.Roofline.Bound)
		}
	}
}

// collection holds every kernel's outcome against what its first lines promise
// for a GPU: the emulation's outcome where they say nothing else.
func (b *bench) collection(t *testing.T) {
	budget := b.judge.budget
	b.judge.budget = 0
	defer func() { b.judge.budget = budget }()
	files, err := filepath.Glob(filepath.Join(collection, "*", "*.cu"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels found: %v", err)
	}
	for _, file := range files {
		task, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".cu")
		if name == "naive" || name == "tuned" {
			continue
		}
		t.Run(task+"/"+name, func(t *testing.T) {
			text := kernel(t, task, name)
			want := promised(text)
			v := b.evaluate(t, b.request(t, task, text))
			if !slices.ContainsFunc(want, func(e expectation) bool { return e.met(v) }) {
				t.Errorf("%s %s, want one of %v; findings %+v", v.Outcome, v.Summary, want, v.Findings)
			}
			t.Log(v.Summary)
		})
	}
}

// expectation is one outcome that a kernel may have, with the kind of a finding.
type expectation struct {
	outcome gpu.Outcome
	kind    string // empty for any
}

func (e expectation) met(v gpu.Verdict) bool {
	return v.Outcome == e.outcome && (e.kind == "" ||
		slices.ContainsFunc(v.Findings, func(f gpu.Finding) bool { return f.Kind == e.kind }))
}

// promised reads "// gpu: A [KIND] | B", and "// expect: A [KIND]" where there is
// no such line. Kinds that only the emulation's watching knows are left out.
func promised(text string) []expectation {
	var list []expectation
	for line := range strings.Lines(text) {
		rest, isRemark := strings.CutPrefix(line, "// ")
		if !isRemark {
			break
		}
		if gpuLine, ok := strings.CutPrefix(rest, "gpu: "); ok {
			list = nil
			for alternative := range strings.SplitSeq(gpuLine, "|") {
				list = append(list, parse(strings.Fields(alternative)))
			}
			return list
		}
		if expect, ok := strings.CutPrefix(rest, "expect: "); ok {
			list = append(list, parse(strings.Fields(expect)))
		}
	}
	return list
}

func parse(words []string) expectation {
	e := expectation{outcome: gpu.Outcome(words[0])}
	if len(words) > 1 {
		e.kind = words[1]
	}
	return e
}

func (b *bench) bestBeside(t *testing.T) {
	req := b.request(t, "softmax", kernel(t, "softmax", "tuned"))
	req.Best = kernel(t, "softmax", "naive")
	v := b.evaluate(t, req)
	if s, ok := v.Speedup["best"]; !ok || s < 1 || v.Baselines["best"].Samples != v.Timing.Samples {
		t.Errorf("speedups %v, best %+v", v.Speedup, v.Baselines["best"])
	}
	req.Best = "broken"
	if v = b.evaluate(t, req); v.Outcome != gpu.OutcomeCorrect || len(v.Speedup) != 1 || len(v.Findings) == 0 || v.Findings[0].Kind != "no_baseline" {
		t.Errorf("with a best that does not compile: %s, speedups %v, findings %+v", v.Summary, v.Speedup, v.Findings)
	}
}

const add = `
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}`

func (b *bench) accept(t *testing.T) {
	req := b.request(t, "vector_add", add+`
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    if (n > 1) add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}`)
	if v := b.evaluate(t, req); v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("before acceptance: %s", v.Summary)
	}
	req.Accept = true
	if v := b.evaluate(t, req); v.Outcome != gpu.OutcomeMismatch || !strings.Contains(v.Summary, "size tiny") {
		t.Errorf("on acceptance: %s: %s, want a mismatch at another size", v.Outcome, v.Summary)
	}
	req.Kernel = kernel(t, "vector_add", "tuned")
	if v := b.evaluate(t, req); v.Outcome != gpu.OutcomeCorrect || v.Check.Trials <= 5 {
		t.Errorf("a right kernel on acceptance: %s, %+v", v.Summary, v.Check)
	}
}

// hidden does all its work on a stream of its own, which the events of a sample
// do not wait for.
func (b *bench) hidden(t *testing.T) {
	honest := b.evaluate(t, b.request(t, "vector_add", kernel(t, "vector_add", "tuned")))
	v := b.evaluate(t, b.request(t, "vector_add", add+`
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    static cudaStream_t side = nullptr;
    if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    add<<<(n + 255) / 256, 256, 0, side>>>(a, b, c, n);
}`))
	t.Logf("%s: %s", v.Outcome, v.Summary)
	if v.Outcome == gpu.OutcomeCorrect && v.Speedup["reference"] > 1.1*honest.Speedup["reference"] {
		t.Errorf("speedup %v of hidden work, %v of honest work", v.Speedup, honest.Speedup)
	}
}

// caching keeps the answer to the inputs that it last saw, and copies it when it
// believes to see them again.
func (b *bench) caching(t *testing.T) {
	v := b.evaluate(t, b.request(t, "vector_add", add+`
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    static const float* seen[64];
    static int known = 0;
    for (int i = 0; i < known; ++i) {
        if (seen[i] == a) return;
    }
    if (known < 64) seen[known++] = a;
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}`))
	if v.Outcome != gpu.OutcomeMismatch {
		t.Errorf("%s: %s; want a mismatch", v.Outcome, v.Summary)
	}
}

func (b *bench) hang(t *testing.T) {
	req := b.request(t, "vector_add", kernel(t, "vector_add", "endless_loop"))
	req.Limits.Run = time.Second
	b.evaluate(t, b.request(t, "vector_add", kernel(t, "vector_add", "naive")))
	began := time.Now()
	v := b.evaluate(t, req)
	hung := time.Since(began)
	if v.Outcome != gpu.OutcomeTimeout {
		t.Errorf("%s: %s; want a timeout", v.Outcome, v.Summary)
	}
	began = time.Now()
	if v := b.evaluate(t, b.request(t, "vector_add", kernel(t, "vector_add", "naive"))); v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("after it: %s", v.Summary)
	}
	next := time.Since(began)
	t.Logf("a hang with a limit of 1 s was judged in %s, the next kernel in %s", hung, next)
	if hung > 2500*time.Millisecond || next > 2*time.Second {
		t.Errorf("too slow")
	}
}

func (b *bench) nvcc(t *testing.T) {
	if b.judge.shop.gpu.NVCC == "" {
		t.Skip("no nvcc here")
	}
	req := b.request(t, "softmax", kernel(t, "softmax", "tuned"))
	req.NVCC = true
	v := b.evaluate(t, req)
	if v.Outcome != gpu.OutcomeCorrect || !strings.HasPrefix(v.Stages[1].Detail, "nvcc") {
		t.Errorf("%s: %s, compiled by %s", v.Outcome, v.Summary, v.Stages[1].Detail)
	}
	t.Logf("%s; %+v", v.Summary, v.Stages)
	req.Kernel = strings.Replace(req.Kernel, "<<<grid, block", "<<<grid, 4096", 1)
	if v = b.evaluate(t, req); v.Outcome != gpu.OutcomeRuntime && v.Outcome != gpu.OutcomeMismatch {
		t.Errorf("with blocks of 4096: %s: %s", v.Outcome, v.Summary)
	}
}

func (b *bench) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	req := b.request(t, "vector_add", kernel(t, "vector_add", "endless_loop"))
	req.Limits.Run = time.Hour
	_, err := b.judge.Evaluate(ctx, req, func(e gpu.Event) {
		if e.Stage == gpu.StageRun {
			began = time.Now()
			time.AfterFunc(300*time.Millisecond, cancel)
		}
	})
	if !errors.Is(err, context.Canceled) || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %s, want context.Canceled", err, time.Since(began))
	}
}

func (b *bench) brokenReference(t *testing.T) {
	for name, native := range map[string]string{
		"does not compile": "template <typename real> void reference(const real* a, const real* b, real* c, int64_t n, cudaStream_t) { c = a }",
		"crashes":          "template <typename real> void reference(const real* a, const real* b, real* c, int64_t n, cudaStream_t) { __builtin_trap(); }",
	} {
		req := b.request(t, "vector_add", kernel(t, "vector_add", "naive"))
		req.Task.Native, req.Task.SHA256 = native, name
		v, err := b.judge.Evaluate(t.Context(), req, ignore)
		if err == nil || !strings.Contains(err.Error(), "reference of task") {
			t.Errorf("%s: %v, %v; want an error about the reference", name, v.Summary, err)
		}
	}
}

func (b *bench) holds(t *testing.T) {
	req := b.request(t, "vector_add", kernel(t, "vector_add", "naive"))
	judgetest.Hold(t, b.judge, req, func() {
		if _, err := b.judge.oracles.Wait(t.Context()); err != nil {
			t.Error("withdrawn: what it would have been judged by is gone")
		}
	})
}

// leaks has good, wrong and crashing kernels judged in turn.
func (b *bench) leaks(t *testing.T) {
	kernels := []string{"naive", "drops_the_tail", "dereferences_null", "missing_semicolon"}
	budget := b.judge.budget
	b.judge.budget = 0
	defer func() { b.judge.budget = budget }()
	round := func(i int) {
		b.evaluate(t, b.request(t, "vector_add", kernel(t, "vector_add", kernels[i%len(kernels)])))
	}
	for i := range kernels {
		round(i)
	}
	before := b.settled(t)
	for i := range 40 {
		round(i)
	}
	after := b.settled(t)
	t.Logf("before %+v, after %+v", before, after)
	if after.descriptors > before.descriptors+8 || after.folders > before.folders+2 || after.memory > before.memory+(256<<20) || after.heap > before.heap+(64<<20) {
		t.Errorf("before 40 evaluations %+v, after them %+v", before, after)
	}
}

// remains counts what evaluations may leave behind.
type remains struct {
	descriptors, folders int
	memory, heap         uint64 // bytes: of the device by all processes, of this process
}

func (b *bench) settled(t *testing.T) remains {
	t.Helper()
	var now, last remains
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if now = b.count(t); now.descriptors == last.descriptors && now.memory == last.memory {
			break
		}
		last = now
	}
	return now
}

func (b *bench) count(t *testing.T) remains {
	t.Helper()
	fds, _ := filepath.Glob("/proc/self/fd/*")
	folders, _ := filepath.Glob(filepath.Join(b.scratch, "*"))
	r := remains{descriptors: len(fds), folders: len(folders)}
	err := b.judge.shop.gpu.Device.Do(t.Context(), func(c *cuda.Context) error {
		free, total, err := c.MemoryInfo()
		r.memory = total - free
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	r.heap = m.HeapAlloc
	return r
}

func TestPromised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]expectation{
		"// expect: correct\nint x;":                                          {{"correct", ""}},
		"// expect: unsupported\n// gpu: correct\n":                           {{"correct", ""}},
		"// expect: runtime_error abort\n// needs: landlock\n":                {{"runtime_error", "abort"}},
		"// expect: mismatch race\n// gpu: mismatch | timeout x\n// why: y\n": {{"mismatch", ""}, {"timeout", "x"}},
	} {
		if got := promised(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if got := fmt.Sprint(promised("int x;")); got != "[]" {
		t.Errorf("without a remark: %s", got)
	}
}
