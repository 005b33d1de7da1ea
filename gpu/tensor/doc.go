// Package tensor holds the judge's tensors in the memory of a GPU, and computes
// with them there: it draws inputs, compares outputs with the truth, and sees
// what was written where nothing should be. A [Lab] is one device with the
// judge's own kernels (tensor.cu), which NVRTC compiles once per machine.
//
// It means what package check means, on a device: the same seed draws the same
// inputs whatever the device's size, and a comparison gives the figures that
// check.Compare gives. It runs no candidate and decides nothing about one.
//
// A private tensor is seen by nobody else. A shared one can be given to another
// process ([Lab.Share]); all memory around its data is guard bytes, and a method
// that changes it returns when the change has happened. Where a device cannot
// share memory, a shared tensor has a file of the same layout beside it, and
// [Lab.Send] and [Lab.Receive] copy between the two.
//
// Start at [Open] and [Lab.New]; the kernels are best read from their end.
package tensor
