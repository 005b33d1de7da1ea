package tensor

import (
	"context"
	"fmt"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/device"
)

// Share is a shared tensor as a worker is given it. The caller closes the file;
// the memory is still the lab's.
func (l *Lab) Share(ctx context.Context, t *Tensor, writable bool) (device.Buffer, error) {
	b := device.Buffer{
		Name: t.Name, Bytes: t.Bytes(), Writable: writable,
		Size: t.layout.size, Offset: t.layout.offset, Host: t.Mirrored(),
	}
	if t.kind == private {
		return b, fmt.Errorf("share %s: the tensor is private", t.Name)
	}
	err := l.device.Do(ctx, func(c *cuda.Context) (err error) {
		if t.kind == mirrored {
			b.File, err = t.mirror.another()
		} else {
			b.File, err = c.Export(t.vmm)
		}
		return err
	})
	if err != nil {
		return b, fmt.Errorf("share %s: %w", t.Name, err)
	}
	return b, nil
}

// Mirrored reports whether another process gets a file of the host for this
// tensor instead of device memory, so that [Lab.Send] and [Lab.Receive] copy.
func (t *Tensor) Mirrored() bool { return t.kind == mirrored }

// Send copies a mirrored tensor, guards included, to the file that others have.
// For any other tensor there is nothing to do.
func (l *Lab) Send(ctx context.Context, t *Tensor) error {
	return l.exchange(ctx, t, func(c *cuda.Context) error { return c.Download(t.mirror.bytes, t.start) })
}

// Receive copies a mirrored tensor, guards included, from the file that others
// have. For any other tensor there is nothing to do.
func (l *Lab) Receive(ctx context.Context, t *Tensor) error {
	return l.exchange(ctx, t, func(c *cuda.Context) error { return c.Upload(t.start, t.mirror.bytes) })
}

func (l *Lab) exchange(ctx context.Context, t *Tensor, run func(*cuda.Context) error) error {
	if !t.Mirrored() {
		return nil
	}
	return l.change(ctx, "copy the file of", t, run)
}
