package torch

// Kinds of [Value].
const (
	KindTensor = "tensor"
	KindText   = "text" // anything that is no tensor and holds none: it is passed as it is
)

// Tensor is one strided, contiguous tensor.
type Tensor struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype"` // as tasks.DType, and also bool, uint8, int8 and int16
	Shape []int64 `json:"shape"` // empty for a scalar
}

// Elements is how many elements the tensor has.
func (t Tensor) Elements() int64 {
	n := int64(1)
	for _, extent := range t.Shape {
		n *= extent
	}
	return n
}

// Bytes is the tensor's size, 0 for an unknown type.
func (t Tensor) Bytes() int64 { return t.Elements() * elementBytes(t.DType) }

// Exact is the tensor as the oracle gives it in double precision: floating types as
// float64, all others as they are.
func (t Tensor) Exact() Tensor {
	switch t.DType {
	case "float32", "float16", "bfloat16":
		t.DType = "float64"
	}
	return t
}

func elementBytes(dtype string) int64 {
	switch dtype {
	case "float64", "int64":
		return 8
	case "float32", "int32":
		return 4
	case "float16", "bfloat16", "int16":
		return 2
	case "bool", "uint8", "int8":
		return 1
	}
	return 0
}

// Value is one argument of forward, in order.
type Value struct {
	Name   string  `json:"name"` // the parameter's
	Kind   string  `json:"kind"` // KindTensor or KindText
	Tensor *Tensor `json:"tensor,omitempty"`
	Text   string  `json:"text,omitempty"` // Python's repr, cut
}

// Flags are the switches of torch that change what its operators compute.
type Flags struct {
	MatmulTF32    bool `json:"matmul_tf32"`
	CuDNNTF32     bool `json:"cudnn_tf32"`
	CuDNN         bool `json:"cudnn"`
	Benchmark     bool `json:"cudnn_benchmark"`
	Deterministic bool `json:"deterministic"`
}

// Description is what a task's reference takes and gives, as the oracle found by
// building and running it.
type Description struct {
	Inputs        []Value  `json:"inputs"`        // a tensor within a list or a dict is a value of its own, such as "xs[0]"
	State         []Tensor `json:"state"`         // parameters, then buffers, in the order of the model
	Parameters    int      `json:"parameters"`    // how many of State are parameters
	Outputs       []Tensor `json:"outputs"`       // in order; see Structure
	Structure     string   `json:"structure"`     // how forward returns them: "tensor", "tuple(2)", "list(2)", "dict(a,b)"
	Flops         *int64   `json:"flops"`         // of one forward as torch counts them; nil where it cannot
	Exact         bool     `json:"exact"`         // outputs in double fit into memory
	ExactWhy      string   `json:"exact_why"`     // why not
	Seed          int64    `json:"seed"`          // under which the model was built
	Deterministic bool     `json:"deterministic"` // two runs on the same inputs and state gave the same bytes
	Random        bool     `json:"random"`        // forward draws random numbers, such as dropout's
	Scalable      bool     `json:"scalable"`      // the model takes inputs of other magnitudes
	Flags         Flags    `json:"flags"`         // of the native outputs
	Defaults      Flags    `json:"defaults"`      // torch's own, of the eager times
	Notes         []string `json:"notes"`         // what a person should know, one line each
}

// Tensors are the tensor inputs, in order.
func (d Description) Tensors() []Tensor {
	var all []Tensor
	for _, v := range d.Inputs {
		if v.Tensor != nil {
			all = append(all, *v.Tensor)
		}
	}
	return all
}
