package pytorch

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/torch"
)

// TestKernels holds the verdict on every collected answer in CUDA C++ against what its
// first lines promise.
func TestKernels(t *testing.T) {
	b := newBench(t)
	files, err := filepath.Glob(filepath.Join(collection, "cuda", "*", "*.cu"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers found: %v", err)
	}
	for _, file := range files {
		task := filepath.Base(filepath.Dir(file))
		t.Run(task+"/"+strings.TrimSuffix(filepath.Base(file), ".cu"), func(t *testing.T) {
			text := read(t, file)
			v := b.judged(t, task, gpu.Request{Dialect: gpu.CUDA, Kernel: text}, b.expected(t, text, "// "))
			if v.ScoreBasis != report.EagerBasis {
				t.Errorf("scored over %q", v.ScoreBasis)
			}
			if v.Outcome == gpu.OutcomeCorrect {
				b.complete(t, v)
			}
		})
	}
	t.Run("beside the best one", b.besideTheBest)
	t.Run("without a signature", b.needsASignature)
	t.Run("derived", b.derives)
}

// complete holds that the verdict on a right kernel has all figures.
func (b *court) complete(t *testing.T, v gpu.Verdict) {
	t.Helper()
	switch emulated := b.judge.shop.gpu == nil; {
	case v.Timing == nil || v.Check == nil || v.Score == nil || v.Baselines[report.EagerBasis].Samples == 0:
		t.Errorf("figures are missing: %+v", v)
	case v.Timing.Emulated != emulated || v.Timing.MedianUS <= 0 || v.Speedup[report.EagerBasis] <= 0:
		t.Errorf("timed as %+v, speedup %v", *v.Timing, v.Speedup)
	case v.Check.Passed != v.Check.Trials || v.Check.Trials < leastTrials:
		t.Errorf("checked as %+v", *v.Check)
	case len(v.Resources) == 0 || v.Resources[0].Launches == 0 || len(v.Sandbox) == 0:
		t.Errorf("resources %+v, sandbox %v", v.Resources, v.Sandbox)
	}
}

// besideTheBest times another answer by turns with the one that is judged.
func (b *court) besideTheBest(t *testing.T) {
	own := read(t, filepath.Join(collection, "cuda", "add", "grid_stride.cu"))
	v := b.judged(t, "add", gpu.Request{Dialect: gpu.CUDA, Kernel: own, Best: own + "\n// again\n"}, []expectation{{gpu.OutcomeCorrect, ""}})
	if v.Baselines[best].Samples == 0 || v.Speedup[best] <= 0 {
		t.Errorf("baselines %+v, speedup %v", v.Baselines, v.Speedup)
	}
	broken := "this does not compile"
	v = b.judged(t, "add", gpu.Request{Dialect: gpu.CUDA, Kernel: own, Best: broken}, []expectation{{gpu.OutcomeCorrect, ""}})
	if _, there := v.Baselines[best]; there || !missing(v, "the best") {
		t.Errorf("a best kernel that does not compile: baselines %+v, findings %+v", v.Baselines, v.Findings)
	}
}

// needsASignature holds that what the dialect cannot say is no verdict.
func (b *court) needsASignature(t *testing.T) {
	req := gpu.Request{Task: taskOf(t, "masked"), Dialect: gpu.CUDA, Kernel: "int x;"}
	if v, err := b.judge.Evaluate(t.Context(), req, func(gpu.Event) {}); err == nil || !strings.Contains(err.Error(), "tensor mask is of type bool") {
		t.Errorf("verdict %s, error %v", v.Summary, err)
	}
}

// derives holds that a task's description is what its evaluations go by.
func (b *court) derives(t *testing.T) {
	about, err := b.judge.Describe(t.Context(), taskOf(t, "matmul_bias_gelu"))
	if err != nil {
		t.Fatal(err)
	}
	task, err := torch.Derive(taskOf(t, "matmul_bias_gelu"), about)
	if err != nil {
		t.Fatal(err)
	}
	const want = `extern "C" void solve(const float* x, const float* linear_weight, const float* linear_bias, float* out, cudaStream_t stream)`
	if got := task.Signature.Declare("solve"); got != want {
		t.Errorf("declared as %s, want %s", got, want)
	}
}

// TestAffordable holds how many sets of tensors a measurement has.
func TestAffordable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state   int
		answers []answer
		want    int
	}{
		"in Python":              {40, []answer{&pythonAnswer{}}, mostSets + 1},
		"few tensors":            {3, []answer{&solver{}}, mostSets + 1},
		"as many as fit":         {14, []answer{&solver{}, &solver{}}, 4},
		"one, to warm up on too": {40, []answer{&solver{}}, 1},
	} {
		one := torch.Tensor{DType: "float32", Shape: []int64{1}}
		r := &reference{memory: hostMemory{}, about: torch.Description{
			Inputs: []torch.Value{{Tensor: &one}}, State: make([]torch.Tensor, c.state), Outputs: []torch.Tensor{one},
		}}
		course := &course{reference: r, racers: []*racer{{name: report.EagerBasis}}}
		for _, a := range c.answers {
			course.racers = append(course.racers, &racer{name: newest, answer: a})
		}
		if got, err := course.affordable(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %d sets, %v; want %d", name, got, err, c.want)
		}
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	if torch.MaxTensors != device.MaxBuffers {
		t.Errorf("a signature has up to %d tensors, and a worker takes %d", torch.MaxTensors, device.MaxBuffers)
	}
	for name, c := range map[string]struct{ tensors, want int }{
		"few": {3, 21}, "half": {32, 2}, "more than half": {33, 1}, "as many as there may be": {torch.MaxTensors, 1},
	} {
		if got := (&solver{}).capacity(c.tensors); got != c.want {
			t.Errorf("%s: %d sets, want %d", name, got, c.want)
		}
	}
}
