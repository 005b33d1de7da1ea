// Package inline builds what an answer passes to torch's load_inline, in seconds
// instead of torch's minute. On a CPU the CUDA source runs by emulation.
//
// All sources become one unit: they are put at their own lines in the answer, so
// that messages and faults name lines that the model wrote. Behind them stands one
// extern "C" function per function that Python calls, of one form for all; a small
// Python extension, the binder (binder/binder.cpp), is compiled once per torch and
// calls these. pybind11, which takes most of torch's own build, is never included,
// and torch's other headers come precompiled (headers/hone_torch.h), in three sizes,
// the smallest first.
//
// On a CPU: a tensor's is_cuda() reads is_cpu() and kCUDA is kCPU, by macros behind
// torch's headers; c10::cuda and at::cuda are stand-ins with one stream; optimisation
// flags and libraries of the answer are ignored, its macros (-D) are kept.
//
// For a GPU the device part goes to NVRTC and the host part to g++, as package compile
// does with any .cu file; the host part sees torch's headers, but none of CUDA's, and
// reaches the device through package device's library. One file carries both parts
// (ondevice.go). What this cannot build, such as kernels that use torch's types, or
// libraries of the toolkit, goes to torch's own builder (fallback.go): that takes nvcc
// and a minute, so that nothing fails here that compiles there.
//
// It runs compilers and writes its cache; it never loads or runs what it built.
// Start at [New] and [Builder.Build], then text.go and glue.go.
package inline
