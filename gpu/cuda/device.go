package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Device is one device with its primary context, in the hands of one goroutine
// on a locked OS thread. Any goroutine may use it, and one must close it.
type Device struct {
	driver *Driver
	handle int32
	facts  Facts
	jobs   chan job
	closed chan struct{}
	close  sync.Once
	gone   chan struct{}
	err    error // of releasing the context; read after gone
}

type job struct {
	run  func(*Context) error
	done chan error
}

// Context is the device as a function given to [Device.Do] sees it. It is of no
// use after that function has returned, nor on another goroutine.
type Context struct {
	device *Device
	fault  error // the sticky error that ended all use, nil while there is none
}

// Device opens a device by its place in the driver's order, which takes a few
// tenths of a second. The error is an [Unavailable] where the device exists and
// cannot be used.
func (d *Driver) Device(index int) (*Device, error) {
	dev := &Device{driver: d, jobs: make(chan job), closed: make(chan struct{}), gone: make(chan struct{})}
	var err error
	if dev.facts, err = d.Facts(index); err != nil {
		return nil, err
	}
	if dev.handle, err = d.handle(index); err != nil {
		return nil, err
	}
	ready := make(chan error)
	go dev.own(ready)
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("open device %d: %w", index, err)
	}
	return dev, nil
}

// Facts are what the device is.
func (d *Device) Facts() Facts { return d.facts }

// Do runs a function on the device's goroutine, after those asked for before.
// Where ctx ends first the function does not run; once it runs, Do waits for it.
// After a sticky error no function runs any more, and Do returns that error. The
// function must call neither Do nor Close of its own device.
func (d *Device) Do(ctx context.Context, run func(*Context) error) error {
	j := job{run: run, done: make(chan error, 1)}
	select {
	case d.jobs <- j:
		return <-j.done
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closed:
		return errors.New("use a device: it is closed")
	}
}

// Close waits for the function that runs, and gives up the device.
func (d *Device) Close() error {
	d.close.Do(func() { close(d.closed) })
	<-d.gone
	return d.err
}

// own is the goroutine of the device. It leaves its thread without a context, so
// that the thread lives on: a thread that ends can take along the processes it
// started.
func (d *Device) own(ready chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(d.gone)
	if err := d.enter(); err != nil {
		ready <- err
		return
	}
	ready <- nil
	c := &Context{device: d}
	for {
		select {
		case j := <-d.jobs:
			j.done <- c.run(j.run)
		case <-d.closed:
			if c.fault == nil { // else nothing can be released but by ending the process
				d.err = d.leave()
			}
			return
		}
	}
}

func (c *Context) run(f func(*Context) error) error {
	if c.fault != nil {
		return c.fault
	}
	return f(c)
}

// enter makes the primary context, which other libraries in the process share,
// the current one of this thread.
func (d *Device) enter() error {
	var primary uintptr
	err := d.driver.lib.call("cuDevicePrimaryCtxRetain", &primary, d.handle)
	switch {
	case codeOf(err) == 2:
		return &Unavailable{Cause: InUse, Reason: "the device has no memory left for a context",
			Remedy: "end the processes that fill it (nvidia-smi lists them)", Err: err}
	case err != nil:
		return cannotStart(err, "/dev")
	}
	return d.driver.lib.call("cuCtxSetCurrent", primary)
}

func (d *Device) leave() error {
	err := d.driver.lib.call("cuCtxSetCurrent", uintptr(0))
	if err = errors.Join(err, d.driver.lib.call("cuDevicePrimaryCtxRelease_v2", d.handle)); err != nil {
		return fmt.Errorf("close device: %w", err)
	}
	return nil
}

// call calls the driver on the device's thread and keeps a sticky error.
func (c *Context) call(name string, args ...any) error {
	err := c.device.driver.lib.call(name, args...)
	if e, ok := errors.AsType[*Error](err); ok && sticky(e.Code) {
		e.Sticky = true
		c.fault = err
	}
	return err
}

// Synchronize waits for all work on the device. An error may belong to any launch
// since the last time.
func (c *Context) Synchronize() error { return c.call("cuCtxSynchronize") }
