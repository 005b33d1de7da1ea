// Package platform is a GPU as a judge uses it: the driver and NVRTC, the judge's
// tensors in the device's memory, its measured peaks, and what NVML says of it while
// something is measured. [Open] takes the device; whoever opened it closes it.
//
// It also compiles answers for the device. It judges nothing and runs no answer. Packages ondevice and pytorch judge on it,
// one evaluation at a time.
package platform
