package roofline

import (
	"math"
	"slices"
	"testing"
	"time"

	"example.com/hone/tasks"
)

func TestFloorOfBuiltinTasks(t *testing.T) {
	t.Parallel()
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	bounds := map[string]string{"matmul": BoundCompute, "matmul_bias_gelu": BoundCompute, "conv2d_relu": BoundCompute}
	p := madePeaks()
	for _, task := range catalog.All() {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			for _, size := range task.Sizes {
				f, err := p.Floor(task, size)
				if err != nil {
					t.Fatal(err)
				}
				checkFloor(t, p, f, (task.Flops == ""))
				want := bounds[task.Name]
				if want == "" {
					want = BoundMemory
				}
				if size.Name == "full" && f.Bound != want {
					t.Errorf("bound by %s, want %s: %+v", f.Bound, want, f)
				}
				if size.Name == "tiny" && f.Bound != BoundMemory {
					t.Errorf("a tiny size is bound by %s: %+v", f.Bound, f)
				}
			}
		})
	}
}

func checkFloor(t *testing.T, p Peaks, f Floor, noFlops bool) {
	t.Helper()
	if f.Read <= 0 || f.Written <= 0 || f.MemoryUS < 2 || f.US() < f.MemoryUS || f.LowerBound {
		t.Errorf("not to be believed: %+v", f)
	}
	// No mix is faster than reading alone nor slower than writing alone here.
	if low, high := p.Memory[0].at(float64(f.Bytes())), p.Memory[4].at(float64(f.Bytes())); f.MemoryUS < low || f.MemoryUS > high {
		t.Errorf("%v us for %d bytes, want between %v and %v", f.MemoryUS, f.Bytes(), low, high)
	}
	if (f.Flops == nil) != noFlops || (f.ComputeUS == nil) != noFlops || (f.Peak == nil) != noFlops || (f.Unit == "") != noFlops {
		t.Errorf("operations of a task that says %t of them: %+v", !noFlops, f)
	}
	r := f.Roofline(time.Duration(2000 * f.US()))
	if !near(r.Percent, 50, 1e-3) || r.PeakGBps < r.GBps || r.Bytes != f.Bytes() || r.FloorUS != f.US() || r.Bound != f.Bound {
		t.Errorf("at half the speed: %+v", r)
	}
	if (r.TFlops == nil) != noFlops || (r.PeakTF == nil) != noFlops {
		t.Errorf("figures of operations: %+v", r)
	}
}

// made tasks have one input and one output of a type, n elements each.
func madeTask(t tasks.DType, tolerance float64, flops string) (tasks.Task, tasks.SizeSet) {
	tensor := []tasks.Tensor{{Name: "x", DType: t, Shape: []string{"n"}}}
	return tasks.Task{
		ID: "made/up", Flops: flops, Tolerance: tasks.Tolerance{Rel: tolerance},
		Signature: tasks.Signature{Inputs: tensor, Outputs: tensor, Dims: []string{"n"}},
	}, tasks.SizeSet{Name: "full", Values: map[string]int64{"n": 1 << 20}}
}

func TestFloorFigures(t *testing.T) {
	t.Parallel()
	p := madePeaks()
	p.Memory = []Curve{{Reads: 1, Writes: 1, Points: []Point{{Bytes: 1 << 23, US: 4}}}}
	task, size := madeTask(tasks.Float32, 1e-4, "n*4000")
	f, err := p.Floor(task, size)
	if err != nil {
		t.Fatal(err)
	}
	const flops = 4000 << 20
	us := flops / 400e12 * 1e6 // in TF32
	if f.Read != 1<<22 || f.Written != 1<<22 || f.MemoryUS != 4 || *f.Flops != flops || !near(*f.ComputeUS, us, 1e-9) || f.Bound != BoundCompute || f.Unit != TF32Matrix {
		t.Errorf("floor %+v", f)
	}
	r := f.Roofline(20 * time.Microsecond)
	if !near(r.Percent, 5*us, 1e-9) || !near(r.GBps, (1<<23)/20e3, 1e-9) || !near(r.PeakGBps, (1<<23)/4e3, 1e-9) ||
		!near(*r.TFlops, flops/20e6, 1e-9) || !near(*r.PeakTF, 400, 1e-9) {
		t.Errorf("roofline %+v", r)
	}
	if r := f.Roofline(0); math.IsInf(r.Percent, 0) || math.IsInf(r.GBps, 0) || math.IsInf(*r.TFlops, 0) {
		t.Errorf("of no time at all: %+v", r)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	halves := []string{BF16Matrix, FP16Matrix}
	for name, test := range map[string]struct {
		dtype     tasks.DType
		tolerance float64
		want      []string
	}{
		"float32":               {tasks.Float32, 1e-4, []string{FP32, TF32Matrix}},
		"float32, exact":        {tasks.Float32, 0, []string{FP32, TF32Matrix}},
		"float32, loose":        {tasks.Float32, 1e-2, append([]string{FP32, TF32Matrix}, halves...)},
		"float16":               {tasks.Float16, 1e-2, append([]string{FP32}, halves...)},
		"bfloat16":              {tasks.BFloat16, 0, append([]string{FP32}, halves...)},
		"float64":               {tasks.Float64, 1e-9, []string{FP64, FP64Matrix}},
		"float64, as a float32": {tasks.Float64, 1e-4, []string{FP32, FP64, FP64Matrix, TF32Matrix}},
		"float64, loose":        {tasks.Float64, 1e-2, append([]string{FP32, FP64, FP64Matrix, TF32Matrix}, halves...)},
		"int32":                 {tasks.Int32, 0, []string{FP32}},
		"int64":                 {tasks.Int64, 1e-2, []string{FP32}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task, _ := madeTask(test.dtype, test.tolerance, "")
			got, want := usable(task), test.want
			slices.Sort(got)
			slices.Sort(want)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("units %v, want %v", got, want)
			}
		})
	}
	t.Run("index beside float64", func(t *testing.T) {
		t.Parallel()
		task, _ := madeTask(tasks.Float64, 0, "")
		task.Signature.Outputs = append(slices.Clone(task.Signature.Outputs), tasks.Tensor{Name: "i", DType: tasks.Int64, Shape: []string{"n"}})
		if slices.Contains(usable(task), FP32) {
			t.Errorf("units %v", usable(task))
		}
	})
}

func TestFloorOfWhatIsUnknown(t *testing.T) {
	t.Parallel()
	task, size := madeTask(tasks.Float32, 1e-4, "2*n")
	p := madePeaks()
	p.LowerBound = true
	if f, err := p.Floor(task, size); err != nil || !f.LowerBound {
		t.Errorf("a lower bound is not told: %+v, %v", f, err)
	}
	p.Compute = nil
	if f, err := p.Floor(task, size); err != nil || f.ComputeUS != nil || *f.Flops != 2<<20 || f.Bound != BoundMemory {
		t.Errorf("without peaks of arithmetic: %+v, %v", f, err)
	}
}

func TestFloorErrors(t *testing.T) {
	t.Parallel()
	good, size := madeTask(tasks.Float32, 0, "n")
	unknown, noFlops, empty := good, good, good
	unknown.Signature.Inputs = []tasks.Tensor{{Name: "x", DType: tasks.Float32, Shape: []string{"m"}}}
	noFlops.Flops = "n+m"
	empty.Signature = tasks.Signature{}
	for name, test := range map[string]struct {
		peaks Peaks
		task  tasks.Task
	}{
		"nothing measured":  {Peaks{}, good},
		"unknown dimension": {madePeaks(), unknown},
		"unknown in flops":  {madePeaks(), noFlops},
		"no tensors":        {madePeaks(), empty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if f, err := test.peaks.Floor(test.task, size); err == nil {
				t.Errorf("floor %+v", f)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	p := madePeaks()
	p.LowerBound = true
	for _, want := range []Line{{"copy", "3869 GB/s over 1024 MiB, 2.2 us at least"}, {FP32, "60.0 TFLOP/s"}, {BF16Matrix, "810.0 TFLOP/s or more"}} {
		if !slices.Contains(p.Lines(), want) {
			t.Errorf("no %v among %v", want, p.Lines())
		}
	}
	if len((Peaks{Memory: []Curve{{Reads: 1}}}).Lines()) != 0 {
		t.Error("figures of an empty curve")
	}
	s := SelfTest{CopyGBps: 4000, Spread: []TimingSpread{{MedianUS: 10.2, Repeats: 40, Percent: math.Pi}}, CompileFirstMS: 57, CompileLaterMS: 13}
	for _, want := range []Line{{"spread at 10 us", "3.14% between the smallest and the largest of 40 medians"}, {"NVRTC", "57 ms at first, 13 ms later"}} {
		if !slices.Contains(s.Lines(), want) {
			t.Errorf("no %v among %v", want, s.Lines())
		}
	}
}
