package roofline

import (
	"math"
	"testing"
)

// made has a made-up memory: a latency and a rate for each mix.
func made() []Curve {
	curves := mixes()
	for i := range curves {
		latency, gbps := 2+0.1*float64(i), 4500-300*float64(i)
		for _, bytes := range sizes(largestMove) {
			curves[i].Points = append(curves[i].Points, Point{Bytes: int64(bytes), US: latency + float64(bytes)/gbps/1e3})
		}
	}
	return curves
}

func near(got, want, part float64) bool { return math.Abs(got-want) <= part*want }

func TestCurveBetweenPoints(t *testing.T) {
	t.Parallel()
	c := Curve{Reads: 1, Points: []Point{{Bytes: 1000, US: 2}, {Bytes: 4000, US: 2}, {Bytes: 16000, US: 8}}}
	for name, test := range map[string]struct{ bytes, want float64 }{
		"below the first": {1, 2},
		"first":           {1000, 2},
		"all latency":     {2000, 2},
		"knee":            {4000, 2},
		"all bandwidth":   {8000, 4},
		"last":            {16000, 8},
		"above the last":  {64000, 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.at(test.bytes); !near(got, test.want, 1e-9) {
				t.Errorf("at(%v) = %v, want %v", test.bytes, got, test.want)
			}
		})
	}
}

func TestCurveIsMonotoneAndNearItsModel(t *testing.T) {
	t.Parallel()
	c := made()[0]
	before := 0.0
	for bytes := 4096.0; bytes < 4e9; bytes *= 1.037 {
		us := c.at(bytes)
		if us < before {
			t.Fatalf("%v bytes take %v us, fewer took %v", bytes, us, before)
		}
		if model := 2 + bytes/4500/1e3; bytes < 1e9 && !near(us, model, 0.02) {
			t.Errorf("%v bytes take %v us, the model says %v", bytes, us, model)
		}
		before = us
	}
}

func TestCurveSettles(t *testing.T) {
	t.Parallel()
	c := Curve{Reads: 1, Points: []Point{{Bytes: 1, US: 3}, {Bytes: 2, US: 2.5}, {Bytes: 3, US: 2.6}, {Bytes: 4, US: 2.2}, {Bytes: 5, US: 9}}}
	if c.valid() {
		t.Error("a falling curve passes for valid")
	}
	c.settle()
	for i, want := range []float64{2.2, 2.2, 2.2, 2.2, 9} {
		if c.Points[i].US != want {
			t.Errorf("point %d is %v, want %v", i, c.Points[i].US, want)
		}
	}
	if !c.valid() {
		t.Error("a settled curve is not valid")
	}
}

func TestCurveValid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		curve Curve
		want  bool
	}{
		"one point":    {Curve{Reads: 1, Points: []Point{{1, 1, ""}}}, true},
		"no points":    {Curve{Reads: 1}, false},
		"no traffic":   {Curve{Points: []Point{{1, 1, ""}}}, false},
		"negative":     {Curve{Reads: 2, Writes: -1, Points: []Point{{1, 1, ""}}}, false},
		"zero time":    {Curve{Reads: 1, Points: []Point{{1, 0, ""}}}, false},
		"no number":    {Curve{Reads: 1, Points: []Point{{1, math.NaN(), ""}}}, false},
		"infinite":     {Curve{Reads: 1, Points: []Point{{1, math.Inf(1), ""}}}, false},
		"same size":    {Curve{Reads: 1, Points: []Point{{1, 1, ""}, {1, 2, ""}}}, false},
		"zero bytes":   {Curve{Reads: 1, Points: []Point{{0, 1, ""}}}, false},
		"faster later": {Curve{Reads: 1, Points: []Point{{1, 2, ""}, {2, 1, ""}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.curve.valid(); got != test.want {
				t.Errorf("valid() = %t", got)
			}
		})
	}
}

func TestMemoryBetweenMixes(t *testing.T) {
	t.Parallel()
	p := Peaks{Memory: made()}
	const bytes = 96 << 20
	at := func(i int) float64 { return p.Memory[i].at(bytes) }
	for name, test := range map[string]struct {
		written int64
		want    float64
	}{
		"read alone":      {0, at(0)},
		"a sixth written": {bytes / 6, (at(0) + at(1)) / 2},
		"sum of two":      {bytes / 3, at(1)},
		"copy":            {bytes / 2, at(2)},
		"2 of 3 written":  {bytes * 2 / 3, at(3)},
		"5 of 6 written":  {bytes * 5 / 6, (at(3) + at(4)) / 2},
		"write alone":     {bytes, at(4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := p.memoryUS(bytes-test.written, test.written); !near(got, test.want, 1e-9) {
				t.Errorf("%v us, want %v", got, test.want)
			}
		})
	}
	only := Peaks{Memory: p.Memory[2:3]}
	for _, written := range []int64{0, bytes / 2, bytes} {
		if got := only.memoryUS(bytes-written, written); got != at(2) {
			t.Errorf("with a copy's curve alone %d bytes written take %v us, want %v", written, got, at(2))
		}
	}
}
