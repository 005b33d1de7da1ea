package tensor

import (
	"context"
	_ "embed" // the kernels' text
	"errors"
	"fmt"

	"example.com/hone/gpu/cuda"
)

//go:embed tensor.cu
var source string

// threads are those of a block of every kernel.
const threads = 256

// maxFigures is how many figures a kernel adds up at most.
const maxFigures = 8

// Lab is the judge's workplace on one device. Several goroutines may use it, each on
// tensors of its own: all that it does is done by the device's own thread.
type Lab struct {
	device  *cuda.Device
	module  cuda.Module
	kernels map[string]cuda.Function
	totals  cuda.Pointer     // maxFigures words
	mapping bool             // the device can share memory
	blocks  uint32           // that fill the device
	held    map[*Tensor]bool // only by the device's thread
}

// Open prepares the kernels for a device, which stays the caller's. They are
// compiled where the cache, a folder that is made when needed, does not have them.
func Open(ctx context.Context, dev *cuda.Device, nvrtc *cuda.Compiler, cache string) (*Lab, error) {
	const blocksPerSM = 8
	facts := dev.Facts()
	cubin, err := cubinFor(facts.SM(), nvrtc, cache)
	if err != nil {
		return nil, fmt.Errorf("prepare the judge's kernels for %s: %w", facts.Name, err)
	}
	l := &Lab{
		device: dev, kernels: map[string]cuda.Function{}, held: map[*Tensor]bool{},
		blocks: uint32(max(1, facts.SMs) * blocksPerSM), mapping: facts.ShareMemory,
	}
	if err := dev.Do(ctx, func(c *cuda.Context) error { return l.load(c, cubin) }); err != nil {
		return nil, fmt.Errorf("load the judge's kernels on %s: %w", facts.Name, err)
	}
	return l, nil
}

func (l *Lab) load(c *cuda.Context, cubin []byte) (err error) {
	if l.module, err = c.Load(cubin); err != nil {
		return err
	}
	for _, name := range []string{"draw", "convert", "differing", "damage", "compare", "compare_integers"} {
		if l.kernels[name], err = c.Function(l.module, name); err != nil {
			return errors.Join(err, c.Unload(l.module))
		}
	}
	if l.totals, err = c.Alloc(8 * maxFigures); err != nil {
		return errors.Join(err, c.Unload(l.module))
	}
	return nil
}

// Close frees every tensor and unloads the kernels. The device stays open.
func (l *Lab) Close() error {
	if l.totals == 0 {
		return nil
	}
	err := l.device.Do(context.Background(), func(c *cuda.Context) error {
		err := c.Synchronize()
		for t := range l.held {
			err = errors.Join(err, t.free(c))
		}
		return errors.Join(err, c.Free(l.totals), c.Unload(l.module))
	})
	l.totals, l.held = 0, nil
	if err != nil {
		return fmt.Errorf("free the judge's tensors: %w", err)
	}
	return nil
}

// launch queues a kernel that has something to do for n threads.
func (l *Lab) launch(c *cuda.Context, kernel string, n int64, args ...any) error {
	wanted := max(1, (n+threads-1)/threads)
	grid := cuda.Launch{
		Grid:  cuda.Dim{X: uint32(min(wanted, int64(l.blocks))), Y: 1, Z: 1},
		Block: cuda.Dim{X: threads, Y: 1, Z: 1},
	}
	if err := c.Launch(l.kernels[kernel], grid, args...); err != nil {
		return fmt.Errorf("kernel %s: %w", kernel, err)
	}
	return nil
}

// change runs an operation that writes to a tensor. Another process may read a
// shared one at once, and its work does not wait for ours.
func (l *Lab) change(ctx context.Context, what string, t *Tensor, run func(*cuda.Context) error) error {
	err := l.device.Do(ctx, func(c *cuda.Context) error {
		if err := run(c); err != nil || t.kind == private {
			return err
		}
		return c.Synchronize()
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, t.Name, err)
	}
	return nil
}
