package roofline

import (
	"context"
	"fmt"
	"slices"

	"example.com/hone/gpu/cuda"
)

// arithmetic is a kernel that keeps one unit busy.
type arithmetic struct {
	unit   string
	kernel string
	flops  float64 // of each thread in each round
}

// arithmetics are the kernels for a device.
func arithmetics(f cuda.Facts) []arithmetic {
	const (
		chains  = 8 * 32 * 2                    // chain of compute.cu
		two     = 16 * 2 * 16 * 8 * 16 / 32.0   // product of compute.cu, elements of two bytes
		four    = two / 2                       // of four bytes
		hopper2 = 8 * 2 * 64 * 256 * 16 / 128.0 // product of wgmma.cu
		hopper4 = hopper2 / 2
	)
	list := []arithmetic{{FP32, "fma_fp32", chains}, {FP64, "fma_fp64", chains}}
	capability := f.Capability.Major*10 + f.Capability.Minor
	switch {
	case hopper(f):
		list = append(list, arithmetic{FP16Matrix, "wgmma_fp16", hopper2},
			arithmetic{BF16Matrix, "wgmma_bf16", hopper2}, arithmetic{TF32Matrix, "wgmma_tf32", hopper4})
	case capability >= 75:
		list = append(list, arithmetic{FP16Matrix, "mma_fp16", two}, arithmetic{FP16Matrix, "mma_fp16_sums", two})
	}
	if capability >= 80 && !hopper(f) {
		list = append(list, arithmetic{BF16Matrix, "mma_bf16", two}, arithmetic{TF32Matrix, "mma_tf32", four})
	}
	switch {
	case capability >= 90:
		list = append(list, arithmetic{FP64Matrix, "mma_fp64", 8 * 2 * 16 * 8 * 16 / 32.0})
	case capability >= 80:
		list = append(list, arithmetic{FP64Matrix, "mma_fp64", 8 * 2 * 8 * 8 * 4 / 32.0})
	}
	return list
}

// lowerBound reports whether a device's matrix units can do more than the kernels
// here ask of them: those of 7.0 are not measured at all, and what 10.x and 11.x
// have reaches its full speed by an instruction of its own. Of devices yet to
// come nothing is known.
func lowerBound(f cuda.Facts) bool {
	switch f.Capability.Major {
	case 8, 9, 12:
		return false
	case 7:
		return f.Capability.Minor < 5
	}
	return f.Capability.Major > 9
}

// compute measures all units. The shortest time counts, not the median: a device
// that lowers its clocks under load has shown what it can do before.
func (b *bench) compute(ctx context.Context) (map[string]float64, error) {
	sink, err := b.alloc(256)
	if err != nil {
		return nil, err
	}
	peaks := map[string]float64{}
	for _, a := range arithmetics(b.facts) {
		flops, err := b.rate(ctx, a, sink)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", a.unit, err)
		}
		peaks[a.unit] = max(peaks[a.unit], flops)
	}
	return peaks, nil
}

// rate is the operations a second of one kernel, from launches of about half a
// millisecond: long against a launch, short against what heats a device.
func (b *bench) rate(ctx context.Context, a arithmetic, sink cuda.Pointer) (float64, error) {
	f, err := b.find(a.kernel)
	if err != nil {
		return 0, err
	}
	perSM, err := b.c.Occupancy(f, blockSize, 0)
	if err != nil {
		return 0, err
	}
	blocks := uint32(perSM * b.facts.SMs)
	least := func(rounds int32, samples int) (us float64, err error) {
		times, err := b.samples(ctx, samples, false, func() error { return b.launch(f, blocks, sink, rounds) })
		if err != nil {
			return 0, err
		}
		return slices.Min(times), nil
	}
	rounds, err := enough(least)
	if err != nil {
		return 0, err
	}
	const samples = 8
	us, err := least(rounds, samples)
	return a.flops * blockSize * float64(blocks) * float64(rounds) / us * 1e6, err
}

// enough are the rounds of a kernel that take about half a millisecond.
func enough(least func(rounds int32, samples int) (us float64, err error)) (int32, error) {
	const target, most = 500, 1 << 24
	rounds := int32(16)
	for {
		us, err := least(rounds, 2)
		if err != nil || us >= target/2 || rounds >= most {
			return rounds, err
		}
		rounds = min(rounds*int32(min(max(target/us, 2), 64)), most)
	}
}
