package roofline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/stat"
)

// mixes are the kinds of traffic with a curve of their own, by ascending share of
// writes: reductions, sums of two arrays, copies, two outputs of one input, fills.
func mixes() []Curve {
	return []Curve{{Reads: 1}, {Reads: 2, Writes: 1}, {Reads: 1, Writes: 1}, {Reads: 1, Writes: 2}, {Writes: 1}}
}

// variant is one way to move data. Which is best depends on the device and on the
// size, so that all are tried.
type variant struct {
	unroll    int
	streaming bool // tell the cache that nothing is used again
	perSM     int  // blocks for each multiprocessor, 0 for as many as there are tiles
}

func variants() []variant {
	return []variant{
		{1, false, 0}, {2, false, 0}, {4, false, 0}, {8, false, 0},
		{1, true, 0}, {4, true, 0},
		{4, false, 8}, {4, true, 8}, {8, false, 4}, {4, false, 2},
	}
}

func (v variant) String() string {
	text := fmt.Sprintf("unroll %d", v.unroll)
	if v.streaming {
		text += ", streaming"
	}
	if v.perSM > 0 {
		text += fmt.Sprintf(", %d blocks per SM", v.perSM)
	}
	return text
}

// expression names the kernel of a variant for one mix.
func (v variant) expression(c Curve) string {
	return fmt.Sprintf("move<%d, %d, %d, %t>", c.Reads, c.Writes, v.unroll, v.streaming)
}

// blocks is the grid for arrays of so many units of 16 bytes.
func (v variant) blocks(quads uint64, sms int) uint32 {
	tile := uint64(blockSize * v.unroll)
	tiles := (quads + tile - 1) / tile
	if v.perSM > 0 {
		tiles = min(tiles, uint64(v.perSM*sms))
	}
	return uint32(tiles)
}

// moves are the expressions of all kernels.
func moves() []string {
	var all []string
	for _, c := range mixes() {
		for _, v := range variants() {
			all = append(all, v.expression(c))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sizes go from what is all latency to what is all bandwidth.
func sizes(largest uint64) []uint64 {
	list := []uint64{4 << 10, 16 << 10, 64 << 10}
	for n := uint64(128 << 10); n <= largest; n *= 2 {
		list = append(list, n)
	}
	return list
}

// arena is what the kernels read and write.
type arena struct {
	from, to cuda.Pointer
	bytes    uint64 // of each
}

const (
	shortMove    = 1 << 20 // bytes up to which a launch takes two microseconds or so, whatever it moves
	largestMove  = 1 << 30
	smallestMove = 1 << 20 // below, the device has no memory free worth measuring
)

// newArena takes a quarter of the free memory at most, and fills it.
func (b *bench) newArena() (arena, error) {
	free, _, err := b.c.MemoryInfo()
	if err != nil {
		return arena{}, err
	}
	a := arena{bytes: min(free/8&^0xffff, largestMove)}
	if a.bytes < smallestMove {
		return arena{}, fmt.Errorf("measure the memory: %d MiB of the device are free: end the processes that fill it", free>>20)
	}
	fill, err := b.find("fill")
	if err != nil {
		return arena{}, err
	}
	for _, p := range []*cuda.Pointer{&a.from, &a.to} {
		if *p, err = b.alloc(a.bytes); err != nil {
			return arena{}, err
		}
		if err := b.launch(fill, 1024, *p, a.bytes/16); err != nil {
			return arena{}, err
		}
	}
	return a, nil
}

// move is one launch, prepared.
type move struct {
	variant
	function cuda.Function
	blocks   uint32
	quads    uint64 // of each array
	firstUS  float64
}

// prepareMove has a variant's launch for a mix that moves at most so many bytes.
func (b *bench) prepareMove(c Curve, v variant, bytes uint64) (move, error) {
	f, err := b.find(v.expression(c))
	quads := bytes / 16 / uint64(c.Reads+c.Writes)
	return move{variant: v, function: f, blocks: v.blocks(quads, b.facts.SMs), quads: quads}, err
}

func (b *bench) move(ctx context.Context, a arena, m move, samples int) ([]float64, error) {
	return b.samples(ctx, samples, true, func() error { return b.launch(m.function, m.blocks, a.from, a.to, m.quads) })
}

// curve measures one mix over all sizes, and the spread at the largest.
func (b *bench) curve(ctx context.Context, a arena, c Curve) (Curve, float64, error) {
	var spread float64
	for _, bytes := range sizes(a.bytes) {
		p, s, err := b.point(ctx, a, c, bytes)
		if err != nil {
			return c, 0, fmt.Errorf("measure the memory (%s, %d bytes): %w", c.Name(), bytes, err)
		}
		c.Points, spread = append(c.Points, p), s
	}
	c.settle()
	return c, spread, nil
}

// finalSamples is how often a move is timed that counts.
const finalSamples = 15

// point finds the best variant for one size: a few samples of each, then more of
// the best three, so that luck in the first round does not count. Their lower
// quartile is taken, not the median: a floor is what the device can do, and what
// takes two microseconds shows one of two times by chance.
func (b *bench) point(ctx context.Context, a arena, c Curve, bytes uint64) (best Point, spread float64, err error) {
	const finalists = 3
	moves, err := b.ranked(ctx, a, c, bytes)
	if err != nil {
		return Point{}, 0, err
	}
	for _, m := range moves[:finalists] {
		times, err := b.move(ctx, a, m, finalSamples)
		if err != nil {
			return Point{}, 0, err
		}
		if us := lowerQuartile(times); best.US == 0 || us < best.US {
			best = Point{Bytes: int64(m.quads) * 16 * int64(c.Reads+c.Writes), US: us, Best: m.String()}
			interval, _ := stat.MedianInterval(times)
			spread = interval.HalfWidth()
		}
	}
	return best, spread, nil
}

// again measures the short moves of a curve once more, a while after the first time: in
// some spells all of them take half a microsecond longer, which is no floor.
func (b *bench) again(ctx context.Context, a arena, c Curve) error {
	for i, p := range c.Points {
		if p.Bytes > shortMove {
			break
		}
		m, err := b.prepareMove(c, named(p.Best), uint64(p.Bytes))
		if err != nil {
			return err
		}
		times, err := b.move(ctx, a, m, finalSamples)
		if err != nil {
			return fmt.Errorf("measure the memory again (%s, %d bytes): %w", c.Name(), p.Bytes, err)
		}
		c.Points[i].US = min(p.US, lowerQuartile(times))
	}
	c.settle()
	return nil
}

// named is the variant of that name.
func named(name string) variant {
	all := variants()
	return all[slices.IndexFunc(all, func(v variant) bool { return v.String() == name })]
}

// ranked are all variants for one size, the fastest of a few samples first.
func (b *bench) ranked(ctx context.Context, a arena, c Curve, bytes uint64) ([]move, error) {
	const samples = 6
	var moves []move
	for _, v := range variants() {
		m, err := b.prepareMove(c, v, bytes)
		if err != nil {
			return nil, err
		}
		times, err := b.move(ctx, a, m, samples)
		if err != nil {
			return nil, err
		}
		m.firstUS = stat.Median(times)
		moves = append(moves, m)
	}
	slices.SortFunc(moves, func(x, y move) int { return cmp.Compare(x.firstUS, y.firstUS) })
	return moves, nil
}

func lowerQuartile(times []float64) float64 {
	return slices.Sorted(slices.Values(times))[len(times)/4]
}
