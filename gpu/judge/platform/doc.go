// Package platform is a GPU as a judge uses it: the driver and NVRTC, the judge's
// tensors in the device's memory, its measured peaks, and what NVML says of it while
// something is measured. [Open] takes the device; whoever opened it closes it.
//
// It also compiles answers for the device ([Platform.Build]). It judges nothing and runs
// no answer: packages ondevice and pytorch judge on it, one evaluation at a time. Its peaks
// are measured in the background from the start; who times anything else on the device
// waits for them first ([Platform.Peaks]).
package platform
