package tasks

import (
	"fmt"
	"strings"
)

// Task is one problem. It is immutable once loaded.
//
// A task from KernelBench is known by its PyTorch reference alone: Native,
// Signature, Sizes and Flops are empty, since only running the reference tells
// what it takes and gives. See [Task.Torch]. Once it has been run, the task may be
// given a signature of fixed shapes and the one size "full", without dimensions.
type Task struct {
	ID    string // "builtin/l1/softmax", "kernelbench/level1/23": source, level, name or number
	Name  string // "softmax", "23_Softmax"
	Title string // one line for lists: "Row softmax"
	Level int    // KernelBench's levels: 1 single operator, 2 fused operators, 3 networks, 4 whole models; 0 unknown

	// Reference is a Python file in KernelBench's format: Model, get_inputs,
	// get_init_inputs. It is what the model and the person read.
	Reference string
	// Native is CUDA C++ that defines
	//   template <typename real> void reference(<the parameters of solve, real in place of the floating type>)
	// In double it yields the truth, in the task's type the baseline. Empty for a
	// task known by its PyTorch reference alone.
	Native string

	Signature Signature
	Sizes     []SizeSet // in order: "small", "full", then those used only on acceptance
	Tolerance Tolerance // zero: KernelBench's for the type of each output, see [DefaultTolerance]
	Flops     string    // expression over the dimensions, such as "2*M*N*K"; empty when unknown

	Path   string // where it was loaded from, for messages
	SHA256 string // hex, over everything above that changes the meaning of an answer
}

// Torch reports whether the task is known by its PyTorch reference alone.
func (t Task) Torch() bool { return t.Native == "" }

// Signature is the C function an answer in the cuda dialect defines:
//
//	extern "C" void solve(<inputs>, <outputs>, <dims as int64_t>, cudaStream_t stream)
type Signature struct {
	Inputs  []Tensor
	Outputs []Tensor
	Dims    []string // names passed to solve as int64_t, in order

	// Constants are what the reference is called with beside tensors. They are the
	// same in every call, and not passed to solve.
	Constants []Constant `json:",omitempty"` // a task without any keeps the hash that it had before there were some
}

// Constant is an argument of a reference that is no tensor.
type Constant struct {
	Name string
	Text string // as Python writes it, cut where it is long
}

// Tensor is one contiguous row-major device buffer.
type Tensor struct {
	Name  string
	DType DType
	Shape []string // each an expression over dimensions: "N", "H-K+1", "3"
	Fill  Fill     // inputs only
}

// DType is an element type.
type DType string

// The element types a task may use.
const (
	Float32  DType = "float32"
	Float64  DType = "float64"
	Float16  DType = "float16"
	BFloat16 DType = "bfloat16"
	Int32    DType = "int32"
	Int64    DType = "int64"
)

// Bytes is the size of one element, 0 for an unknown type.
func (d DType) Bytes() int64 {
	switch d {
	case Float64, Int64:
		return 8
	case Float32, Int32:
		return 4
	case Float16, BFloat16:
		return 2
	}
	return 0
}

// Floating reports whether the type is a floating-point type.
func (d DType) Floating() bool { return d.Bytes() > 0 && d != Int32 && d != Int64 }

// CType is the type's name in CUDA C++.
func (d DType) CType() string {
	switch d {
	case Float32:
		return "float"
	case Float64:
		return "double"
	case Float16:
		return "__half"
	case BFloat16:
		return "__nv_bfloat16"
	case Int32:
		return "int32_t"
	case Int64:
		return "int64_t"
	}
	return ""
}

// Fill says how an input's values are drawn.
type Fill struct {
	Kind string  // "normal" (mean Low, deviation High), "uniform" [Low, High), "integers" [Low, High)
	Low  float64 // see Kind
	High float64
}

// SizeSet gives every dimension a value.
type SizeSet struct {
	Name   string // "small" for emulation, "full" for a GPU, any other only when a kernel is accepted
	Values map[string]int64
}

// Tolerance bounds |got - truth| by Abs + Rel*|truth|.
type Tolerance struct {
	Abs float64
	Rel float64
}

// Size returns the size set of that name.
func (t Task) Size(name string) (SizeSet, error) {
	var known []string
	for _, s := range t.Sizes {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return SizeSet{}, fmt.Errorf("task %s has no size %q (it has: %s)", t.ID, name, strings.Join(known, ", "))
}

// Tensors lists inputs then outputs: the order of solve's pointers.
func (s Signature) Tensors() []Tensor {
	all := make([]Tensor, 0, len(s.Inputs)+len(s.Outputs))
	return append(append(all, s.Inputs...), s.Outputs...)
}

// Declare writes the C declaration of a function with this signature, "" for a
// signature that is not known yet: one without outputs.
func (s Signature) Declare(name string) string {
	if len(s.Outputs) == 0 {
		return ""
	}
	return fmt.Sprintf("extern \"C\" void %s(%s)", name, strings.Join(s.Parameters(), ", "))
}

// Parameters lists the C parameters of solve in order, types included.
func (s Signature) Parameters() []string {
	var params []string
	for _, in := range s.Inputs {
		params = append(params, fmt.Sprintf("const %s* %s", in.DType.CType(), in.Name))
	}
	for _, out := range s.Outputs {
		params = append(params, fmt.Sprintf("%s* %s", out.DType.CType(), out.Name))
	}
	for _, d := range s.Dims {
		params = append(params, "int64_t "+d)
	}
	return append(params, "cudaStream_t stream")
}
