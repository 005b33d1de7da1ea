// Package roofline measures what one device can do at most, and holds times
// against it: how long it needs to move so many bytes, and how many operations
// a second its units do.
//
// [Measure] takes a second or two, so [Load] keeps what it found in a file for each
// device. [Peaks.Floor] turns a task at a size into the least time this device
// needs for it, and [Floor.Roofline] says how near a measured time comes. [Test]
// is a self-test of the device for a person: bandwidth, spread of times, latency
// of the compiler.
//
// Memory is measured as curves of time over bytes, by the method that kernels are
// scored by: each sample starts with a cold cache. A plain figure in bytes a
// second would be wrong for tasks of a few megabytes, whose launch takes a share
// of the time, and whose outputs are still in the cache when the kernel ends.
// Times of a few microseconds are only as good as the events' steps of up to a
// quarter of one, so that a percentage of them may be off by ten.
//
// The package belongs to the trusted judge. It runs no candidate, knows nothing
// of verdicts, and decides nothing: what to make of a time below the floor is the
// judge's business. Start at peaks.go, then floor.go; measure.go is the top of
// everything that needs a device.
package roofline
