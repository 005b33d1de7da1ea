// Package emulate runs CUDA C++ on a CPU. Its C++ side, embedded here, is a
// header that candidates are compiled against (runtime/include) and a small
// program, the emulator, that loads one candidate and runs it for the judge
// (runtime/emulator). What it shares with other such programs is in package native.
//
// The Go side only has that program built, once per compiler and version; it runs
// no candidate. Start at [Prepare], then
// runtime/include/hone_emulate.h for the language and
// runtime/emulator/emulator.cpp for the process.
//
// # What rewritten sources may use
//
// Package compile rewrites a .cu file so that each construct below stays on its
// own line. These spellings are the whole contract between the two packages.
//
//	k<<<g, b, s, st>>>(args)         -> ::hone::launch(k, "k", LINE, FIBERS, ::hone::config(g, b, s, st), [=](auto... a) { k(a...); })(args)
//	     k is a kernel that is no template, or a function pointer: its parameter types convert the arguments
//	k<T><<<g, b, s, st>>>(args)      -> ::hone::launch("k<T>", LINE, FIBERS, ::hone::config(g, b, s, st), [=](auto... a) { k<T>(a...); })(args)
//	     k is a template
//	__shared__ T a[3][4], b;         -> typedef T hone_a_t[3][4]; hone_a_t& a = ::hone::shared<hone_a_t, struct hone_a_s>("a", LINE); typedef T hone_b_t; hone_b_t& b = ...
//	     the second argument makes the variable its own in each instantiation of a template
//	extern __shared__ T x[];         -> T* x = ::hone::dynamic_shared<T>();
//	__constant__ T c[N];             -> the macro __constant__ is empty: an ordinary global
//
// FIBERS is 1 when the kernel, or anything it may call, uses a barrier or a warp
// operation; such kernels run their threads as fibers, all others as a loop.
// Every other CUDA name is a macro, type or function of the header.
//
// The generated unit is: #include "hone_emulate.h", a declaration of solve, the
// rewritten text after #line 1 "kernel.cu", and
//
//	extern "C" void hone_entry(void* const* buffers, const int64_t* dims)
//
// which calls solve with the buffers in the order of the task's tensors.
//
// # Building and starting
//
// Both builds are shared objects: -std=c++17 -fPIC -shared, the plain one with
// -O2, the checked one compiled with -O1 -g1 -fsanitize=thread and linked without
// that flag (the emulator defines the __tsan functions). Line numbers of memory
// accesses come from -g1, so the plain build names the line of a crash only when
// it has it too. -fstack-clash-protection makes a kernel that needs too much
// stack fault where it stands. The emulator is started as
//
//	emulator memory=<bytes> file=<bytes> processes=<n>
//
// where each argument may be left out and sets a limit on private memory, on the
// size of a file written and on processes of this user. It writes only below its
// working directory, and reads, once an object is loaded, only system libraries,
// that directory and the folder the object lies in. A process that makes a
// forbidden call while it blocks signals is ended by SIGSYS, without a fault.
package emulate
