package emulate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	cases := []struct {
		number   int64
		kind     string
		marks    []string // lines that the evidence names
		evidence string
	}{
		{1, "race", []string{"missing_barrier write", "missing_barrier read"}, "shared s"},
		{2, "race", []string{"missing_second_barrier write", "missing_second_barrier read"}, "shared s"},
		{3, "race", []string{"same_element"}, "wrote element 0 of shared s"},
		{4, "race", []string{"missing_syncwarp first", "missing_syncwarp second"}, "shared s"},
		{5, "race", []string{"partial_syncwarp write", "partial_syncwarp read"}, "element 20 of shared s"},
		{6, "race", []string{"between_warps write", "between_warps read"}, "shared s"},
		{7, "race", []string{"atomic_and_plain write", "atomic_and_plain add"}, "element 0 of shared s"},
		{8, "race", []string{"bytes write", "bytes read"}, "shared s"},
		{9, "uninitialised_shared", []string{"uninitialised"}, "thread (63,0,0) read element 63 of shared s"},
		{10, "uninitialised_shared", []string{"uninitialised_dynamic"}, " of dynamic shared memory"},
		{11, "input_write", []string{"writes_input"}, "its input x"},
		{12, "early_return", []string{"returned_early"}, "before Volta that is undefined"},
	}
	for _, c := range cases {
		for schedule := range 3 {
			t.Run(fmt.Sprintf("%d schedule %d", c.number, schedule), func(t *testing.T) {
				t.Parallel()
				p := loaded(t, "findings.cpp", true)
				p.mapBuffers(newBuffer(t, "x", false, make([]byte, 256)), newBuffer(t, "y", true, make([]byte, 256)))
				r := p.call(call{flags: flags(true), schedule: schedule, seed: 5, dims: []int64{c.number}})
				if r.kind != replyOK {
					t.Fatalf("got %v", r.lines)
				}
				for _, f := range r.findings() {
					if namesAll(t, f, c.kind, c.evidence, c.marks) {
						return
					}
				}
				t.Errorf("no %s with %q in the lines of %v among %q", c.kind, c.evidence, c.marks, r.findings())
			})
		}
	}
}

func namesAll(t *testing.T, finding, kind, evidence string, marks []string) bool {
	t.Helper()
	if !strings.HasPrefix(finding, kind+" line ") || !strings.Contains(finding, evidence) {
		return false
	}
	return !slices.ContainsFunc(marks, func(mark string) bool {
		return !strings.Contains(finding, "in line "+lineOf(t, "findings.cpp", mark))
	})
}

// A barrier waits for no thread that has returned, and counts only those that have not.
func TestBarrierAfterEarlyReturns(t *testing.T) {
	t.Parallel()
	builds(t, func(t *testing.T, checked bool) {
		for schedule := range 4 {
			p := loaded(t, "findings.cpp", checked)
			y := newBuffer(t, "y", true, make([]byte, 256))
			p.mapBuffers(newBuffer(t, "x", false, make([]byte, 256)), y)
			r := p.call(call{flags: flags(checked), schedule: schedule, seed: 3, dims: []int64{12}})
			if r.kind != replyOK {
				t.Fatalf("schedule %d: %v", schedule, r.lines)
			}
			if got := math.Float32frombits(binary.LittleEndian.Uint32(y.data(t))); got != 50 {
				t.Errorf("schedule %d: %v threads were counted, want 50", schedule, got)
			}
		}
	})
}

func TestCleanKernelsHaveNoFindings(t *testing.T) {
	t.Parallel()
	ones := bytes.Repeat(floats(1), 256)
	builds(t, func(t *testing.T, checked bool) {
		for schedule := range 6 {
			p := loaded(t, "clean.cpp", checked)
			failed := newBuffer(t, "failed", true, make([]byte, 4))
			p.mapBuffers(failed, newBuffer(t, "x", false, ones))
			r := p.call(call{flags: flags(checked), schedule: schedule, seed: uint64(schedule), poison: 0xff})
			if r.kind != replyOK {
				t.Fatalf("schedule %d: %v", schedule, r.lines)
			}
			for _, f := range r.findings() {
				t.Errorf("schedule %d: %s", schedule, f)
			}
			if line := binary.LittleEndian.Uint32(failed.data(t)); line != 0 {
				t.Errorf("schedule %d: an expectation fails in line %d", schedule, line)
			}
		}
	})
}
