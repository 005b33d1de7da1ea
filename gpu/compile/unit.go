package compile

import (
	"fmt"
	"strings"

	"example.com/hone/tasks"
)

// userFile is the name under which the user's text appears in diagnostics.
const userFile = "kernel.cu"

// entryFile is the name under which the text behind the user's appears.
const entryFile = "hone_entry"

// Unit is what a task adds around a text to make it callable.
type Unit struct {
	Declaration string // of solve, before the text; may be empty
	Entry       string // C++ that defines hone_entry, behind the text
}

// SolveUnit makes an answer callable: the text must define solve.
func SolveUnit(sig tasks.Signature) Unit {
	return Unit{
		Declaration: sig.Declare("solve") + ";",
		Entry:       entry("solve", sig, tensorType, false),
	}
}

// StreamUnit is SolveUnit for a device: hone_entry takes the stream that solve is
// called with as its third argument.
func StreamUnit(sig tasks.Signature) Unit {
	return Unit{Declaration: sig.Declare("solve") + ";", Entry: entry("solve", sig, tensorType, true)}
}

func tensorType(t tasks.Tensor) string { return t.DType.CType() }

// ReferenceUnit makes a native reference callable: the text must define
// template <typename real> void reference(...). Every floating tensor has the
// element type real: float64 for the truth, the task's own for the baseline.
func ReferenceUnit(sig tasks.Signature, real tasks.DType) Unit {
	return referenceUnit(sig, real, false)
}

// StreamReferenceUnit is ReferenceUnit for a device, as [StreamUnit] is.
func StreamReferenceUnit(sig tasks.Signature, real tasks.DType) Unit {
	return referenceUnit(sig, real, true)
}

func referenceUnit(sig tasks.Signature, real tasks.DType, streamed bool) Unit {
	call := "reference<" + real.CType() + ">"
	return Unit{Entry: entry(call, sig, func(t tasks.Tensor) string {
		if t.DType.Floating() {
			return real.CType()
		}
		return t.DType.CType()
	}, streamed)}
}

// headers lists the toolkit's headers that declare the types of the task's tensors,
// which the text around the user's names before the user's own includes.
func (u Unit) headers() []string {
	var names []string
	for _, t := range []struct{ word, header string }{{"__half", "cuda_fp16.h"}, {"__nv_bfloat16", "cuda_bf16.h"}} {
		if strings.Contains(u.Declaration+u.Entry, t.word) {
			names = append(names, t.header)
		}
	}
	return names
}

// entry writes hone_entry, which calls a function with the task's buffers on the
// default stream, or on one that it is given.
func entry(call string, sig tasks.Signature, ctype func(tasks.Tensor) string, streamed bool) string {
	var args []string
	for i, t := range sig.Tensors() {
		constant := ""
		if i < len(sig.Inputs) {
			constant = "const "
		}
		args = append(args, fmt.Sprintf("static_cast<%s%s*>(buffers[%d])", constant, ctype(t), i))
	}
	for i := range sig.Dims {
		args = append(args, fmt.Sprintf("dims[%d]", i))
	}
	parameter, stream := "", "nullptr"
	if streamed {
		parameter, stream = ", cudaStream_t stream", "stream"
	}
	args = append(args, stream)
	return fmt.Sprintf(`extern "C" void hone_entry(void* const* buffers, const int64_t* dims%s) {
    %s(%s);
}
`, parameter, call, strings.Join(args, ", "))
}

// translationUnit is the whole text that g++ sees for the emulation.
func translationUnit(u Unit, code string) string {
	return unitWith(`#include "hone_emulate.h"`, u, code)
}

// unitWith puts what makes a text callable around it, behind a first line.
func unitWith(first string, u Unit, code string) string {
	var b strings.Builder
	b.WriteString(first + "\n")
	b.WriteString(u.Declaration)
	fmt.Fprintf(&b, "\n#line 1 %q\n%s\n#line 1 %q\n%s", userFile, code, entryFile, u.Entry)
	return b.String()
}
