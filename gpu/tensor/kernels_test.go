package tensor

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/tasks"
)

// runner runs the kernels: on a CPU by the emulation, or on a device.
type runner interface {
	draw(t *testing.T, like check.Values, fill tasks.Fill, seed, stream uint64, factor float64) check.Values
	convert(t *testing.T, v check.Values, to tasks.DType) check.Values
	compare(t *testing.T, o check.Output, tol tasks.Tolerance) Comparison
	differing(t *testing.T, a, b check.Values) int64
}

// testKernels holds every kernel against package check.
func testKernels(t *testing.T, r runner) {
	t.Run("convert", func(t *testing.T) { testConvert(t, r) })
	t.Run("compare", func(t *testing.T) { testCompare(t, r) })
	t.Run("slack", func(t *testing.T) { testSlack(t, r) })
	t.Run("differing", func(t *testing.T) { testDiffering(t, r) })
	t.Run("draw", func(t *testing.T) { testDraw(t, r) })
	t.Run("moments", func(t *testing.T) { testMoments(t, r) })
}

var floating = []tasks.DType{tasks.Float64, tasks.Float32, tasks.Float16, tasks.BFloat16}

func zeros(dtype tasks.DType, n int) check.Values {
	return check.Values{Name: "y", DType: dtype, Shape: []int64{int64(n)}, Bytes: make([]byte, int64(n)*dtype.Bytes())}
}

// raw are values of which every bit is random.
func raw(rng *rand.Rand, dtype tasks.DType, n int) check.Values {
	v := zeros(dtype, n)
	for i := range v.Bytes {
		v.Bytes[i] = byte(rng.Uint32())
	}
	return v
}

// special are numbers at which types and rounding turn.
func special() []float64 {
	list := []float64{0, math.NaN(), math.Inf(1), 1, 1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022}
	for _, f := range []struct{ mantissa, bias int }{{23, 127}, {10, 15}, {7, 127}} {
		step := math.Ldexp(1, -f.mantissa)
		top := math.Ldexp(2-step, f.bias)
		smallest := math.Ldexp(step, 1-f.bias)
		for _, base := range []float64{1, 1 + step, top, math.Ldexp(1, 1-f.bias), smallest, 3 * smallest} {
			unit := max(math.Abs(base)*step, smallest) / 2
			for _, by := range []float64{-1, -0.5, 0, 0.5, 1} {
				middle := base + by*unit
				list = append(list, middle, math.Nextafter(middle, 0), math.Nextafter(middle, math.Inf(1)))
			}
		}
	}
	for _, x := range list {
		list = append(list, -x)
	}
	return list
}

// numbers are the special ones, every 16-bit pattern, and random ones.
func numbers(rng *rand.Rand, dtype tasks.DType) check.Values {
	odd := special()
	v := raw(rng, dtype, 1<<16+len(odd))
	for i := range 1 << 16 {
		if dtype.Bytes() == 2 {
			binary.LittleEndian.PutUint16(v.Bytes[2*i:], uint16(i))
		} else if i%2 == 0 { // random bits alone would nearly all overflow the narrow types
			v.SetFloat(i, math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30))
		}
	}
	for i, x := range odd {
		v.SetFloat(1<<16+i, x)
	}
	return v
}

func testConvert(t *testing.T, r runner) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, from := range floating {
		for _, to := range floating {
			v := numbers(rng, from)
			got, want := r.convert(t, v, to), v.As(to)
			for i := range want.Len() {
				g, w := got.Float(i), want.Float(i)
				if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
					t.Fatalf("%s to %s: %v becomes %v, want %v", from, to, v.Float(i), g, w)
				}
			}
		}
	}
}

// outputs are three sides of an output that differ here and there: by rounding, by
// more, and in what is no number.
func outputs(rng *rand.Rand, dtype, base tasks.DType, n int) check.Output {
	truth := tasks.Float64
	if !dtype.Floating() {
		truth = dtype
	}
	o := check.Output{Got: zeros(dtype, n), Truth: zeros(truth, n), Baseline: zeros(base, n)}
	scale := math.Ldexp(1, rng.IntN(40)-20)
	off := math.Pow(10, -2-4*rng.Float64())
	bad := rng.Float64() * rng.Float64() * 0.02
	odd := special()
	for i := range n {
		x := scale * rng.NormFloat64()
		if dtype.Floating() && rng.Float64() < bad {
			x = odd[rng.IntN(len(odd))]
		}
		o.Truth.SetFloat(i, x)
		o.Got.SetFloat(i, x*(1+off*rng.NormFloat64()))
		o.Baseline.SetFloat(i, x*(1+off*rng.NormFloat64()))
		if rng.Float64() < bad/8 {
			o.Got.SetFloat(i, odd[rng.IntN(len(odd))])
		}
	}
	return o
}

func testCompare(t *testing.T, r runner) {
	rng := rand.New(rand.NewPCG(2, 2))
	excused, refused, closed := 0, 0, 0
	for _, dtype := range append([]tasks.DType{tasks.Int32, tasks.Int64}, floating...) {
		for i := range 24 {
			base := dtype
			if dtype.Floating() && i%6 == 5 {
				base = floating[i/6]
			}
			o := outputs(rng, dtype, base, 1+rng.IntN(4000))
			tol := tasks.Tolerance{Abs: math.Pow(10, -8*rng.Float64()), Rel: math.Pow(10, -2-6*rng.Float64())}
			switch {
			case i%5 == 4:
				o.Got = o.Truth.As(dtype)
			case i%5 == 3 && !dtype.Floating(): // beyond what a double tells apart
				o.Truth, o.Got = raw(rng, dtype, o.Got.Len()), o.Baseline
				copy(o.Got.Bytes, o.Truth.Bytes)
				o.Got.SetInt(o.Got.Len()/2, o.Truth.Int(o.Got.Len()/2)+1)
			}
			got, want := r.compare(t, o, tol), expected(o, tol)
			if got != want {
				t.Fatalf("%s, case %d, %+v:\ngot  %+v\nwant %+v", dtype, i, tol, got, want)
			}
			if want.Wrong > 0 {
				refused++
			} else if want.Worst > tol.Abs+tol.Rel {
				excused++
			}
			if want.KernelBench {
				closed++
			}
		}
	}
	if refused < 20 || excused < 5 || closed < 20 {
		t.Errorf("%d cases were refused, %d excused, %d close by KernelBench: the cases prove little", refused, excused, closed)
	}
}

// expected is what package check says.
func expected(o check.Output, tol tasks.Tolerance) Comparison {
	d := check.Compare(o, tol)
	c := Comparison{Sum: d.Sum(), First: -1, Worst: d.MaxAbs}
	if c.Wrong > 0 {
		c.First = int64(d.Wrong[0])
	}
	if !o.Got.DType.Floating() {
		return c
	}
	limit := check.Overflow(o.Got.DType)
	for i := range o.Got.Len() {
		got, want, base := o.Got.Float(i), o.Truth.Float(i), o.Baseline.Float(i)
		if math.Abs(want) >= limit {
			want = math.Copysign(math.Inf(1), want)
		}
		if math.IsNaN(got) != math.IsNaN(want) {
			c.NaN++
		}
		c.Worst = max(c.Worst, apart(got, want))
		c.BaselineWorst = max(c.BaselineWorst, apart(base, want))
	}
	if math.IsInf(c.BaselineWorst, 1) {
		c.BaselineWorst = 0
	}
	return c
}

func apart(a, b float64) float64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	if off := math.Abs(a - b); !math.IsNaN(off) {
		return off
	}
	return math.Inf(1)
}

// testSlack looks closely at how large an error the baseline's own excuses.
func testSlack(t *testing.T, r runner) {
	for name, c := range map[string]struct {
		dtype            tasks.DType
		got, truth, base float64
	}{
		"at the limit":          {tasks.Float64, 5, 1, 2},
		"just beyond":           {tasks.Float64, math.Nextafter(5, 6), 1, 2},
		"baseline exact":        {tasks.Float64, 5, 1, 1},
		"baseline infinite":     {tasks.Float64, 5, 1, math.Inf(1)},
		"baseline NaN":          {tasks.Float64, 5, 1, math.NaN()},
		"infinite":              {tasks.Float64, math.Inf(-1), 1, 2},
		"overflow of the type":  {tasks.Float16, math.Inf(1), 65520, math.Inf(1)},
		"below the overflow":    {tasks.Float16, math.Inf(1), 65519.99, 65504},
		"overflow of bfloat16":  {tasks.BFloat16, math.Inf(-1), -0x1.FFp127, 1},
		"overflow of float":     {tasks.Float32, math.Inf(1), 0x1.FFFFFFp127, math.Inf(1)},
		"below that":            {tasks.Float32, math.MaxFloat32, 0x1.FFFFFEp127, math.Inf(1)},
		"the difference itself": {tasks.Float64, math.MaxFloat64, -math.MaxFloat64, 1},
	} {
		o := check.Output{Got: zeros(c.dtype, 1), Truth: zeros(tasks.Float64, 1), Baseline: zeros(c.dtype, 1)}
		o.Got.SetFloat(0, c.got)
		o.Truth.SetFloat(0, c.truth)
		o.Baseline.SetFloat(0, c.base)
		tol := tasks.Tolerance{Abs: 1e-4, Rel: 1e-4}
		if got, want := r.compare(t, o, tol), expected(o, tol); got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}

func testDiffering(t *testing.T, r runner) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 3, 4, 5, 127, 128, 5001} {
		a := raw(rng, tasks.Float16, n)
		b := a
		b.Bytes = append([]byte(nil), a.Bytes...)
		if got := r.differing(t, a, b); got != 0 {
			t.Errorf("%d equal elements differ in %d bytes", n, got)
		}
		want := map[int]bool{len(b.Bytes) - 1: true}
		for range n / 4 {
			want[rng.IntN(len(b.Bytes))] = true
		}
		for i := range want {
			b.Bytes[i] ^= 1 << rng.IntN(8)
		}
		if got := r.differing(t, a, b); got != int64(len(want)) {
			t.Errorf("%d elements differ in %d bytes, want %d", n, got, len(want))
		}
	}
}

// philox is Philox4x32-10 as its authors define it.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(0xD2511F53, counter[0])
		high1, low1 := bits.Mul32(0xCD9E8D57, counter[2])
		counter = [4]uint32{high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return counter
}

// TestPhilox checks the test's own generator by its authors' known answers.
func TestPhilox(t *testing.T) {
	t.Parallel()
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// drawn is what the kernel must draw for element i.
func drawn(i int, fill tasks.Fill, seed, stream uint64) float64 {
	pair := uint64(i / 2)
	c := philox([4]uint32{uint32(pair), uint32(pair >> 32), uint32(stream), uint32(stream >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
	words := [2]uint64{uint64(c[0]) | uint64(c[1])<<32, uint64(c[2]) | uint64(c[3])<<32}
	fraction := func(x uint64) float64 { return float64(x>>11) * 0x1p-53 }
	switch fill.Kind {
	case "normal":
		radius := math.Sqrt(-2 * math.Log(fraction(words[0])+0x1p-53))
		sine, cosine := math.Sincos(2 * math.Pi * fraction(words[1]))
		return fill.Low + fill.High*radius*[]float64{cosine, sine}[i%2]
	case "uniform":
		return fill.Low + (fill.High-fill.Low)*fraction(words[i%2])
	}
	high, _ := bits.Mul64(words[i%2], uint64(fill.High-fill.Low))
	return fill.Low + float64(high)
}

func testDraw(t *testing.T, r runner) {
	for name, c := range map[string]struct {
		dtype  tasks.DType
		fill   tasks.Fill
		factor float64
		by     float64 // what becomes of the factor
		n      int
	}{
		"normal":           {tasks.Float64, tasks.Fill{Kind: "normal", Low: 3, High: 2}, -8, -8, 1001},
		"normal half":      {tasks.Float16, tasks.Fill{Kind: "normal", Low: 0, High: 1}, 1, 1, 1},
		"uniform":          {tasks.Float32, tasks.Fill{Kind: "uniform", Low: -1, High: 3}, -8, -8, 5000},
		"uniform bfloat16": {tasks.BFloat16, tasks.Fill{Kind: "uniform", Low: 0, High: 3}, -8, 8, 777},
		"integers":         {tasks.Int32, tasks.Fill{Kind: "integers", Low: -5, High: 1000}, -8, 1, 2},
		"large integers":   {tasks.Int64, tasks.Fill{Kind: "integers", Low: 0, High: 1 << 50}, 4, 1, 333},
		"float integers":   {tasks.Float32, tasks.Fill{Kind: "integers", Low: 0, High: 10}, -8, 1, 500},
		"uniform in int":   {tasks.Int32, tasks.Fill{Kind: "uniform", Low: -99, High: 99}, -8, 1, 500},
	} {
		const seed, stream = 0x123456789abcdef, 0xfedcba9876543210
		got := r.draw(t, zeros(c.dtype, c.n), c.fill, seed, stream, c.factor)
		want := zeros(c.dtype, 1)
		for i := range got.Len() {
			exact := drawn(i, c.fill, seed, stream) * c.by
			want.SetFloat(0, exact)
			off := math.Abs(got.Float(i) - want.Float(0))
			if off > 0 && (c.fill.Kind != "normal" || off > 1e-13*math.Abs(exact)+1e-14) {
				t.Errorf("%s: element %d is %v, want %v", name, i, got.Float(i), want.Float(0))
				break
			}
		}
	}
}

func testMoments(t *testing.T, r runner) {
	uniform := 1 / math.Sqrt(12)
	for name, c := range map[string]struct {
		dtype           tasks.DType
		fill            tasks.Fill
		factor          float64
		mean, deviation float64
		low, high       float64
	}{
		"normal":             {tasks.Float32, tasks.Fill{Kind: "normal", Low: 3, High: 2}, 1, 3, 2, -9, 15},
		"normal half, large": {tasks.Float16, tasks.Fill{Kind: "normal", High: 1}, -8, 0, 8, -48, 48},
		"uniform":            {tasks.Float64, tasks.Fill{Kind: "uniform", Low: -1, High: 1}, 1, 0, 2 * uniform, -1, 1},
		"uniform, positive":  {tasks.Float32, tasks.Fill{Kind: "uniform", High: 1}, -8, 4, 8 * uniform, 0, 8},
		"integers":           {tasks.Int32, tasks.Fill{Kind: "integers", High: 10}, -8, 4.5, math.Sqrt(99.0 / 12), 0, 9},
	} {
		for stream := range uint64(2) {
			mean, deviation, low, high := moments(r.draw(t, zeros(c.dtype, 20_000), c.fill, 7, stream, c.factor))
			if math.Abs(mean-c.mean) > c.deviation/20 || math.Abs(deviation/c.deviation-1) > 0.05 || low < c.low || high > c.high {
				t.Errorf("%s: mean %.3f, deviation %.3f, within [%.3f, %.3f]; want %+v", name, mean, deviation, low, high, c)
			}
			if tail := (high - c.mean) / c.deviation; c.fill.Kind == "normal" && tail < 3.2 {
				t.Errorf("%s: the largest of 20,000 is %.2f deviations off", name, tail)
			}
		}
	}
}

// moments are mean, deviation, smallest and largest element.
func moments(v check.Values) (mean, deviation, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	var sum, squares float64
	for i := range v.Len() {
		f := v.Float(i)
		sum, squares = sum+f, squares+f*f
		low, high = min(low, f), max(high, f)
	}
	n := float64(v.Len())
	return sum / n, math.Sqrt(squares/n - sum/n*sum/n), low, high
}
