package emulate

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// narrowFormat is a 16-bit floating-point format, read by the definition of its bits.
type narrowFormat struct {
	name               string
	exponent, mantissa int
}

var narrowFormats = []narrowFormat{{"half", 5, 10}, {"bfloat16", 8, 7}}

func (f narrowFormat) value(bits uint16) float64 {
	exponent := int(bits>>f.mantissa) & (1<<f.exponent - 1)
	mantissa := float64(bits & (1<<f.mantissa - 1))
	bias := 1<<(f.exponent-1) - 1
	var v float64
	switch {
	case exponent == 1<<f.exponent-1 && mantissa != 0:
		return math.NaN()
	case exponent == 1<<f.exponent-1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(mantissa, 1-bias-f.mantissa)
	default:
		v = math.Ldexp(mantissa+float64(int(1)<<f.mantissa), exponent-bias-f.mantissa)
	}
	if bits&0x8000 != 0 {
		v = -v
	}
	return v
}

// nearest rounds by searching the two neighbours and comparing distances.
func (f narrowFormat) nearest(x float64) uint16 {
	if math.IsNaN(x) {
		return 0x7fff
	}
	var sign uint16
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	low, high := uint16(0), uint16((1<<f.exponent-1)<<f.mantissa) // high is infinity
	if math.IsInf(x, 0) {
		return sign | high
	}
	infinity := high
	for low+1 < high {
		middle := low + (high-low)/2
		if f.value(middle) <= x {
			low = middle
		} else {
			high = middle
		}
	}
	upper := f.value(high)
	if high == infinity { // infinity stands where the next number would
		upper = 2*f.value(high-1) - f.value(high-2)
	}
	// Both differences are exact, but where one is far the smaller anyway.
	below, above := x-f.value(low), upper-x
	if below < above || below == above && low%2 == 0 {
		return sign | low
	}
	return sign | high
}

func TestEveryNarrowNumberWidens(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	in := make([]byte, 2*n)
	for i := range n {
		binary.LittleEndian.PutUint16(in[2*i:], uint16(i))
	}
	p := loaded(t, "narrow.cpp", false)
	out := []*buffer{newBuffer(t, "half", true, make([]byte, 4*n)), newBuffer(t, "bfloat16", true, make([]byte, 4*n))}
	p.mapBuffers(newBuffer(t, "bits", false, in), out[0], out[1])
	if r := p.call(call{dims: []int64{1, n}}); r.kind != replyOK {
		t.Fatal(r.lines)
	}
	for i, f := range narrowFormats {
		for bits, got := range asFloats(out[i].data(t)) {
			if want := f.value(uint16(bits)); float64(got) != want && !(math.IsNaN(want) && got != got) {
				t.Fatalf("%s %04x = %v, want %v", f.name, bits, got, want)
			}
		}
	}
}

// hardCases are values at, beside and between the numbers of both formats.
func hardCases() []float64 {
	values := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, 1e-300, math.MaxFloat32, 65504, 65519.99, 65520, 65535}
	for _, f := range narrowFormats {
		infinity := uint16((1<<f.exponent - 1) << f.mantissa)
		for bits := uint16(0); bits+1 < infinity; bits++ {
			middle := (f.value(bits) + f.value(bits+1)) / 2
			values = append(values, middle, -math.Nextafter(middle, 0), math.Nextafter(middle, math.Inf(1)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		values = append(values, math.Ldexp(random.Float64()*2-1, random.IntN(60)-40))
	}
	return values
}

func TestNarrowingRoundsToNearestEven(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		kind   int64
		encode func(v float64) []byte
		given  func(v float64) float64 // the value as the kernel sees it
	}{
		{"from float", 2, func(v float64) []byte { return floats(float32(v)) }, func(v float64) float64 { return float64(float32(v)) }},
		{"from double", 3, func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }, func(v float64) float64 { return v }},
	}
	values := hardCases()
	n := len(values)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var in []byte
			for _, v := range values {
				in = append(in, c.encode(v)...)
			}
			p := loaded(t, "narrow.cpp", false)
			out := []*buffer{newBuffer(t, "half", true, make([]byte, 2*n)), newBuffer(t, "bfloat16", true, make([]byte, 2*n))}
			p.mapBuffers(newBuffer(t, "x", false, in), out[0], out[1])
			if r := p.call(call{dims: []int64{c.kind, int64(n)}}); r.kind != replyOK {
				t.Fatal(r.lines)
			}
			for i, f := range narrowFormats {
				data := out[i].data(t)
				for j, v := range values {
					got, want := binary.LittleEndian.Uint16(data[2*j:]), f.nearest(c.given(v))
					if got != want {
						t.Fatalf("%s of %v (%x): %04x, want %04x", f.name, v, math.Float64bits(v), got, want)
					}
				}
			}
		})
	}
}
