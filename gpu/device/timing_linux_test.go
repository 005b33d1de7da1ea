package device

import (
	"strings"
	"testing"
	"time"
)

var methods = []Method{Cold, Warm, Sustained, Graph}

func plan(method Method, samples int, dims ...int64) Timing {
	return Timing{Method: method, Samples: samples, Warmup: 1, L2: 1 << 16, Dims: dims, Limit: ample}
}

func TestTimesByEachMethod(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	for _, method := range methods {
		first, out := trio(t, 1, 2)
		second, other := trio(t, 10, 20)
		none(t)(p.Map(t.Context(), first, second))
		result, fault, err := p.Time(t.Context(), plan(method, 101, actAdd, 4))
		none(t)(fault, err)
		if result.Method != method || len(result.Samples) != 101 || result.Wall <= 0 || result.Null <= 0 || result.Refused != "" {
			t.Errorf("%s: %+v", method, result)
		}
		if out.value(0) != 3 || other.value(0) != 30 {
			t.Errorf("%s: the sets hold %v and %v", method, out.value(0), other.value(0))
		}
	}
}

// TestSamplesGoRoundTheSets counts calls, which are host code, for each set.
func TestSamplesGoRoundTheSets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Timing)
		want   [3]float32
	}{
		"from the first":         {func(*Timing) {}, [3]float32{1, 1, 2}},
		"from the second":        {func(t *Timing) { t.First = 1 }, [3]float32{2, 1, 1}},
		"more samples than sets": {func(t *Timing) { t.Samples = 4 }, [3]float32{2, 1, 3}},
		"fewer samples":          {func(t *Timing) { t.Samples, t.Warmup = 1, 5 }, [3]float32{1, 0, 5}},
		"warm":                   {func(t *Timing) { t.Method = Warm }, [3]float32{2, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loaded(t)
			var sets [][]Buffer
			var outs []memory
			for range c.want {
				set, out := trio(t, 1, 2)
				sets, outs = append(sets, set), append(outs, out)
			}
			none(t)(p.Map(t.Context(), sets...))
			timing := plan(Cold, 2, actCountCalls, 4)
			timing.Warmup = 2
			c.change(&timing)
			_, fault, err := p.Time(t.Context(), timing)
			none(t)(fault, err)
			if got := [3]float32{outs[0].value(0), outs[1].value(0), outs[2].value(0)}; got != c.want {
				t.Errorf("calls %v, want %v", got, c.want)
			}
		})
	}
}

// TestCallsThatCannotBeCaptured are no faults, and other timings follow.
func TestCallsThatCannotBeCaptured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dims []int64
		want string
	}{
		"a wait":                    {[]int64{actWaitFirst, 4, carriesOn}, "cudaStreamSynchronize failed: error number 900"},
		"a wait, its error dropped": {[]int64{actWaitFirst, 4, forgets}, "error number 901"},
		"a wait, and an exception":  {[]int64{actWaitFirst, 4, throws}, "cudaStreamSynchronize failed"},
		"a wait, and exit":          {[]int64{actWaitFirst, 4, exits}, "cudaStreamSynchronize failed"},
		"a wait, and abort":         {[]int64{actWaitFirst, 4, aborts}, "cudaStreamSynchronize failed"},
		"an allocation":             {[]int64{actFresh, 4}, "cudaMalloc of 64 bytes failed: error number 900"},
		"a stream of its own":       {[]int64{actOwnStream, 4}, "does not follow"},
		"nothing on the device":     {[]int64{actCountCalls, 4}, "does not follow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loaded(t)
			set, out := trio(t, 1, 2)
			none(t)(p.Map(t.Context(), set))
			for range 2 {
				result, fault, err := p.Time(t.Context(), plan(Graph, 5, c.dims...))
				none(t)(fault, err)
				if !strings.HasPrefix(result.Refused, "solve cannot be captured in a graph: ") || !strings.Contains(result.Refused, c.want) {
					t.Errorf("refused as %q, want %q", result.Refused, c.want)
				}
				result, fault, err = p.Time(t.Context(), plan(Warm, 5, c.dims...))
				none(t)(fault, err)
				if len(result.Samples) != 5 {
					t.Errorf("then %+v", result)
				}
			}
			_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actAdd, 4}, Limit: ample})
			none(t)(fault, err)
			if out.value(0) != 3 {
				t.Errorf("the sum is %v", out.value(0))
			}
		})
	}
}

// onHost is a set of which the worker makes copies.
func onHost(set []Buffer) []Buffer {
	for i := range set {
		set[i].Host = true
	}
	return set
}

func TestBuffersThroughTheHost(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	first, out := trio(t, 1, 2)
	second, other := trio(t, 10, 20)
	none(t)(p.Map(t.Context(), onHost(first), onHost(second)))
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actAdd, 4}, Limit: ample})
	none(t)(fault, err)
	if out.value(3) != 3 || other.value(3) != 0 {
		t.Errorf("the sets hold %v and %v", out.value(3), other.value(3))
	}
	_, fault, err = p.Call(t.Context(), Call{Dims: []int64{actWriteInput, 4}, Limit: ample})
	none(t)(fault, err)
	none(t)(p.Map(t.Context(), onHost(first), onHost(second))) // from the same files
	_, fault, err = p.Time(t.Context(), plan(Cold, 2, actAdd, 4))
	none(t)(fault, err)
	if out.value(3) != 3 || other.value(3) != 30 {
		t.Errorf("then %v and %v: a store to an input has arrived, or a sample has not", out.value(3), other.value(3))
	}
}

func TestCorrected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sample time.Duration
		result TimeResult
		want   time.Duration
	}{
		"10 us, cold":       {11936, TimeResult{Method: Cold, Empty: 1280, Null: 2912}, 10404},
		"10 us, graph":      {11712, TimeResult{Method: Graph, Empty: 1280, Null: 2592}, 10370},
		"sustained":         {10464, TimeResult{Method: Sustained, Null: 2752}, 10464},
		"a short null":      {3000, TimeResult{Method: Warm, Null: 1000}, 3000},
		"a claim too large": {10000, TimeResult{Method: Cold, Null: time.Second}, 2500},
	} {
		if got := Corrected(c.sample, c.result); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
