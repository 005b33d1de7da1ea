// Package compile turns the text of one .cu file into something that runs.
//
// A lexer (comments, strings, raw strings, preprocessor lines, balanced
// brackets and template arguments; no regular expressions on source) finds
// kernels, launches and shared variables. For the CPU emulation the text is
// rewritten, line by line in place, to the C++ that package emulate's header
// understands, and g++ builds two shared objects from it at once: plain, which
// is timed, and checked, in which every memory access is reported to the
// emulator. Diagnostics come back in the user's own lines. Artefacts are cached
// by the content of everything that went in.
//
// For a GPU the text is split: the device part goes to NVRTC, the host part, in
// which a kernel is a function that asks a table for its launch, to g++ (folder
// device holds the headers of both). The parts are built at once and cached apart,
// so that a change of a kernel's body costs NVRTC alone. What cannot be split goes
// to nvcc.
//
// It runs compilers and writes its cache; it never loads or runs what it built.
// Start at [Compiler.Build] or [Compiler.BuildDevice], then [Parse].
package compile
