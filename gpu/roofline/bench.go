package roofline

import (
	"context"
	"errors"
	"time"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/stat"
)

// bench times launches on a stream of its own by the method that kernels are
// scored by: the cache is emptied, the device kept busy until the launch is
// queued, and what the events show around nothing is taken off. It belongs to
// the goroutine of its device.
type bench struct {
	kernels
	c     *cuda.Context
	facts cuda.Facts
	undo  []func() error

	stream      cuda.Stream
	from, to    cuda.Event
	hold, sweep cuda.Function

	dirty, clean cuda.Pointer // each of `flushed` bytes
	flushed      uint64
	pattern      uint32        // what was last written to dirty
	queueing     time.Duration // that the host needed for the last launch
	added        time.Duration // to a kernel, by two events
}

// blockSize is the threads of a block in all kernels here.
const blockSize = 256

// withBench makes a bench for as long as run runs.
func withBench(c *cuda.Context, facts cuda.Facts, objects []cuda.Object, run func(*bench) error) (err error) {
	b := &bench{c: c, facts: facts}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.load(objects); err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	return run(b)
}

// later does something when the bench closes, the last first.
func (b *bench) later(f func() error) { b.undo = append(b.undo, f) }

func (b *bench) close() error {
	if err := b.c.Synchronize(); err != nil {
		return err // nothing can be given back
	}
	var failures error
	for i := len(b.undo) - 1; i >= 0; i-- {
		failures = errors.Join(failures, b.undo[i]())
	}
	return failures
}

func (b *bench) prepare() error {
	var err error
	if b.stream, err = b.c.NewStream(); err != nil {
		return err
	}
	b.later(func() error { return b.c.CloseStream(b.stream) })
	for _, e := range []*cuda.Event{&b.from, &b.to} {
		if *e, err = b.c.NewEvent(); err != nil {
			return err
		}
		b.later(func() error { return b.c.CloseEvent(*e) })
	}
	if b.hold, err = b.find("hold"); err != nil {
		return err
	}
	return b.prepareFlush()
}

// prepareFlush takes twice the cache's size, once to write and once to read.
func (b *bench) prepareFlush() error {
	var err error
	if b.sweep, err = b.find("sweep"); err != nil {
		return err
	}
	b.flushed = 2 * uint64(b.facts.L2) &^ 4095
	for _, p := range []*cuda.Pointer{&b.dirty, &b.clean} {
		if *p, err = b.alloc(max(b.flushed, 4096)); err != nil {
			return err
		}
	}
	return b.c.Fill8(b.clean, 0, b.flushed, b.stream)
}

func (b *bench) alloc(bytes uint64) (cuda.Pointer, error) {
	p, err := b.c.Alloc(bytes)
	if err == nil {
		b.later(func() error { return b.c.Free(p) })
	}
	return p, err
}

// launch starts a kernel with so many blocks.
func (b *bench) launch(f cuda.Function, blocks uint32, args ...any) error {
	l := cuda.Launch{Grid: cuda.Dim{X: blocks, Y: 1, Z: 1}, Block: cuda.Dim{X: blockSize, Y: 1, Z: 1}, Stream: b.stream}
	return b.c.Launch(f, l, args...)
}

// flush leaves nothing in the cache but clean lines of no use to anybody.
func (b *bench) flush() error {
	if b.flushed == 0 {
		return nil
	}
	b.pattern++
	if err := b.c.Fill32(b.dirty, b.pattern, b.flushed/4, b.stream); err != nil {
		return err
	}
	return b.launch(b.sweep, 1024, b.clean, b.flushed/16, b.dirty)
}

// keepBusy lets the host queue what it has to for one launch, and a little more.
func (b *bench) keepBusy() error {
	const least, most = 40 * time.Microsecond, 500 * time.Microsecond
	wait := min(max(2*b.queueing, least), most)
	return b.spin(2 * uint64(wait.Nanoseconds())) // no device runs above 2 GHz by much
}

// spin launches a kernel that takes so many cycles: next to none for 0.
func (b *bench) spin(cycles uint64) error {
	one := cuda.Dim{X: 1, Y: 1, Z: 1}
	return b.c.Launch(b.hold, cuda.Launch{Grid: one, Block: one, Stream: b.stream}, cycles)
}

// elapsed is the device's time for what run queues.
func (b *bench) elapsed(run func() error) (time.Duration, error) {
	if err := b.keepBusy(); err != nil {
		return 0, err
	}
	return b.between(run)
}

// between is what two events show around what run queues.
func (b *bench) between(run func() error) (time.Duration, error) {
	queued := time.Now()
	if err := b.c.Record(b.from, b.stream); err != nil {
		return 0, err
	}
	if err := run(); err != nil {
		return 0, err
	}
	if err := b.c.Record(b.to, b.stream); err != nil {
		return 0, err
	}
	b.queueing = time.Since(queued)
	if err := b.c.SynchronizeEvent(b.to); err != nil {
		return 0, err
	}
	return b.c.Elapsed(b.from, b.to)
}

// samples times run so often, in microseconds, from a cold cache or as it is.
func (b *bench) samples(ctx context.Context, n int, cold bool, run func() error) ([]float64, error) {
	list := make([]float64, 0, n)
	for range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cold {
			if err := b.flush(); err != nil {
				return nil, err
			}
		}
		took, err := b.elapsed(run)
		if err != nil {
			return nil, err
		}
		// Less than the clock's resolution is no time that anything takes.
		list = append(list, max(microseconds(took-b.added), 0.1))
	}
	return list, nil
}

// calibrate measures what two events add to a kernel, as the workers do whose times
// are held against what is measured here.
func (b *bench) calibrate(ctx context.Context) error {
	nothing := func() error { return b.spin(0) }
	var times []float64
	for range 21 {
		if err := errors.Join(ctx.Err(), b.keepBusy(), nothing()); err != nil {
			return err
		}
		took, err := b.between(nothing)
		if err != nil {
			return err
		}
		times = append(times, microseconds(took))
	}
	b.added = device.Added(time.Duration(stat.Median(times) * float64(time.Microsecond)))
	return nil
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
