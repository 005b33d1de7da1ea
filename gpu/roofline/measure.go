package roofline

import (
	"context"
	"fmt"
	"time"

	"example.com/hone/gpu/cuda"
)

// Measure measures a device, which takes one to two seconds, during which nothing
// else may use it. It holds a quarter of the free memory at most. The driver's
// version is not known here: [Load] fills it in.
func Measure(ctx context.Context, dev *cuda.Device, nvrtc *cuda.Compiler) (Peaks, error) {
	started := time.Now()
	facts := dev.Facts()
	objects, err := compile(nvrtc, programs(facts))
	if err != nil {
		return Peaks{}, fmt.Errorf("measure %s: %w", facts.Name, err)
	}
	p := identity(facts, "", nvrtc.Version())
	err = dev.Do(ctx, func(c *cuda.Context) error {
		return withBench(c, facts, objects, func(b *bench) error { return b.measure(ctx, &p) })
	})
	if err != nil {
		return Peaks{}, fmt.Errorf("measure %s: %w", facts.Name, err)
	}
	p.Measured, p.LowerBound = started.UTC().Truncate(time.Second), lowerBound(facts)
	p.TookMS = float64(time.Since(started).Microseconds()) / 1e3
	if !p.valid() {
		return Peaks{}, fmt.Errorf("measure %s: the figures make no sense: %+v", facts.Name, p)
	}
	return p, nil
}

// measure does the arithmetic first, which brings the clocks up.
func (b *bench) measure(ctx context.Context, p *Peaks) error {
	if err := b.calibrate(ctx); err != nil {
		return err
	}
	p.AddedUS = microseconds(b.added)
	var err error
	if p.Compute, err = b.compute(ctx); err != nil {
		return err
	}
	a, err := b.newArena()
	if err != nil {
		return err
	}
	for _, c := range mixes() {
		c, spread, err := b.curve(ctx, a, c)
		if err != nil {
			return err
		}
		p.Memory = append(p.Memory, c)
		if c.Name() == "copy" {
			p.Spread = spread
		}
	}
	for _, c := range p.Memory {
		if err := b.again(ctx, a, c); err != nil {
			return err
		}
	}
	return nil
}
