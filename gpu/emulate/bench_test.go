package emulate

import (
	"strconv"
	"testing"
)

// BenchmarkKernels reports what the emulation costs for each thing that one
// thread does: a switch at a barrier, a warp operation, a pass through a loop.
func BenchmarkKernels(b *testing.B) {
	cases := []struct {
		name    string
		checked bool
		kind    int64
		blocks  int64
		rounds  int64
		per     int64 // operations in a call
		unit    string
	}{
		{"barrier", false, 1, 1, 1000, 256 * 1000, "ns/switch"},
		{"shuffle", false, 2, 1, 1000, 256 * 1000, "ns/shuffle"},
		{"tree of 256", false, 3, 1, 100, 100, "ns/reduction"},
		{"tree of 256, all cores", false, 3, 64, 10, 640, "ns/reduction"},
		{"tree of 256, checked", true, 3, 1, 100, 100, "ns/reduction"},
		{"loop", false, 4, 4096, 1, 4096 * 256, "ns/thread"},
		{"loop, checked", true, 4, 4096, 1, 4096 * 256, "ns/thread"},
		{"launch of one block", false, 5, 1, 0, 1, "ns/launch"},
		{"launch of many blocks", false, 5, 64, 0, 1, "ns/launch"},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			p := loaded(b, "bench.cpp", c.checked)
			p.mapBuffers(newBuffer(b, "out", true, make([]byte, 4096)))
			one := call{flags: flags(c.checked), dims: []int64{c.kind, c.blocks, c.rounds}}
			p.call(one)
			one.repeat = b.N
			b.ResetTimer()
			r := p.call(one)
			b.StopTimer()
			ns, err := strconv.ParseFloat(r.text("wall_ns"), 64)
			if err != nil {
				b.Fatalf("call: %v", r.lines)
			}
			b.ReportMetric(ns/float64(b.N)/float64(c.per), c.unit)
			b.ReportMetric(0, "ns/op")
		})
	}
}
