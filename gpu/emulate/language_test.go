package emulate

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
)

func floats(values ...float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func asFloats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

// builds runs a test on the plain and on the checked build.
func builds(t *testing.T, test func(t *testing.T, checked bool)) {
	t.Helper()
	for _, checked := range []bool{false, true} {
		t.Run(map[bool]string{false: "plain", true: "checked"}[checked], func(t *testing.T) {
			t.Parallel()
			test(t, checked)
		})
	}
}

func flags(checked bool) int {
	if checked {
		return 3
	}
	return 1
}

func loaded(t testing.TB, unit string, checked bool, args ...string) *process {
	t.Helper()
	p := start(t, args...)
	if r := p.load(object(t, unit, checked)); r.kind != replyOK {
		t.Fatalf("load %s: %v", unit, r.lines)
	}
	return p
}

func TestVectorAdd(t *testing.T) {
	t.Parallel()
	builds(t, func(t *testing.T, checked bool) {
		p := loaded(t, "add.cpp", checked)
		const n = 1000
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(i), float32(2*i)
		}
		out := newBuffer(t, "c", true, make([]byte, 4*n))
		p.mapBuffers(newBuffer(t, "a", false, floats(x...)), newBuffer(t, "b", false, floats(y...)), out)
		r := p.call(call{flags: flags(checked), repeat: 3, dims: []int64{n}})
		if r.kind != replyOK {
			t.Fatalf("call: %v", r.lines)
		}
		if got, want := r.first("kernel"), []string{"add", "3", "4", "1", "1", "256", "1", "1", "0"}; !slices.Equal(got, want) {
			t.Errorf("kernel line %v, want %v", got, want)
		}
		for i, v := range asFloats(out.data(t)) {
			if v != float32(3*i) {
				t.Fatalf("c[%d] = %v, want %v", i, v, 3*i)
			}
		}
	})
}

// The units check themselves: the line of the first expectation that failed is the first output's content.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"language.cpp", "warp.cpp", "math.cpp", "host.cpp"} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			builds(t, func(t *testing.T, checked bool) {
				for schedule := range 4 {
					p := loaded(t, unit, checked)
					failed := newBuffer(t, "failed", true, make([]byte, 4))
					data := newBuffer(t, "data", true, floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
					p.mapBuffers(failed, data)
					r := p.call(call{flags: flags(checked), schedule: schedule, seed: uint64(99 * schedule), poison: 0xa5})
					if r.kind != replyOK {
						t.Fatalf("schedule %d: %v", schedule, r.lines)
					}
					for _, f := range r.findings() {
						if unit != "host.cpp" {
							t.Errorf("schedule %d: %s", schedule, f)
						}
					}
					if line := binary.LittleEndian.Uint32(failed.data(t)); line != 0 {
						t.Errorf("schedule %d: an expectation fails in %s:%d", schedule, unit, line)
					}
				}
			})
		})
	}
}

func TestDefaultsOfToolchain(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, layer := range []string{"rlimits", "no_new_privs", "landlock", "seccomp"} {
		if !slices.ContainsFunc(p.hello.lines, func(l []string) bool { return len(l) == 3 && l[0] == "layer" && l[1] == layer }) {
			t.Errorf("hello says nothing of %s: %v", layer, p.hello.lines)
		}
	}
	if fmt.Sprint(p.hello.first("protocol")) != "[1]" {
		t.Errorf("hello: %v", p.hello.lines)
	}
}
