package tasks

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.com/hone/tasks/spelling"
)

// maxElements bounds a tensor, so that no size can overflow on its way to bytes.
const maxElements = 1 << 36

// validator checks what the form of a task.toml cannot say.
type validator struct {
	task     Task
	lines    map[string]int // of the keys
	problems []Problem
}

func (v *validator) validate() []Problem {
	v.head()
	v.names()
	v.dtypes("input", v.task.Signature.Inputs)
	v.dtypes("output", v.task.Signature.Outputs)
	for i, in := range v.task.Signature.Inputs {
		v.fill(fmt.Sprintf("input.%d", i), in)
	}
	for i, out := range v.task.Signature.Outputs {
		if out.Fill.Kind != "" {
			v.report(fmt.Sprintf("output.%d.fill", i), "output %s has a fill: only inputs are filled", out.Name)
		}
	}
	v.sizes()
	slices.SortStableFunc(v.problems, func(a, b Problem) int { return a.Line - b.Line })
	return v.problems
}

// report adds a problem at the line of a key, or at that of the nearest key
// around it that is in the file.
func (v *validator) report(key, format string, args ...any) {
	for v.lines[key] == 0 && strings.Contains(key, ".") {
		key = key[:strings.LastIndex(key, ".")]
	}
	v.problems = append(v.problems, Problem{Line: v.lines[key], Text: fmt.Sprintf(format, args...)})
}

func (v *validator) head() {
	t := v.task
	if strings.TrimSpace(t.Title) == "" || strings.ContainsAny(t.Title, "\n\r\x1b") {
		v.report("title", "title is %q: want one line", t.Title)
	}
	if t.Level < 1 || t.Level > 4 {
		v.report("level", "level is %d: want 1 to 4", t.Level)
	}
	if !bounded(t.Tolerance.Abs) || !bounded(t.Tolerance.Rel) {
		v.report("tolerance", "tolerance is abs %g, rel %g: want numbers from 0 to 1", t.Tolerance.Abs, t.Tolerance.Rel)
	}
	if len(t.Signature.Inputs) == 0 {
		v.report("input", "no [[input]]")
	}
	if len(t.Signature.Outputs) == 0 {
		v.report("output", "no [[output]]")
	}
}

func bounded(f float64) bool { return !math.IsNaN(f) && f >= 0 && f <= 1 }

// names checks that tensors and dimensions can stand in one C parameter list.
func (v *validator) names() {
	taken := map[string]bool{}
	check := func(key, name string) {
		switch {
		case !isIdentifier(name):
			v.report(key, "%q is no C identifier", name)
		case slices.Contains(reservedNames(), name):
			v.report(key, "%q is a reserved word of CUDA C++", name)
		case taken[name]:
			v.report(key, "%q is used twice", name)
		}
		taken[name] = true
	}
	for i, in := range v.task.Signature.Inputs {
		check(fmt.Sprintf("input.%d.name", i), in.Name)
	}
	for i, out := range v.task.Signature.Outputs {
		check(fmt.Sprintf("output.%d.name", i), out.Name)
	}
	for _, d := range v.task.Signature.Dims {
		check("dims", d)
	}
}

func (v *validator) dtypes(kind string, all []Tensor) {
	known := []string{
		string(Float32), string(Float64), string(Float16), string(BFloat16), string(Int32), string(Int64),
	}
	for i, t := range all {
		if t.DType.Bytes() == 0 {
			v.report(fmt.Sprintf("%s.%d.dtype", kind, i), "unknown dtype %q%s (one of: %s)",
				t.DType, spelling.DidYouMean(string(t.DType), known), strings.Join(known, ", "))
		}
	}
}

func (v *validator) fill(key string, in Tensor) {
	switch {
	case in.Fill.Kind == "":
		v.report(key, "input %s has no fill, such as fill = \"normal(0, 1)\"", in.Name)
	case in.DType.Bytes() == 0: // reported already
	case in.Fill.Kind == "integers" && in.DType.Floating(), in.Fill.Kind != "integers" && !in.DType.Floating():
		v.report(key+".fill", "input %s is %s, which a fill of kind %s does not suit", in.Name, in.DType, in.Fill.Kind)
	}
}

// sizes checks that each set gives every dimension a value at which the shapes
// and the count of operations can be computed.
func (v *validator) sizes() {
	for _, name := range []string{"small", "full"} {
		if _, err := v.task.Size(name); err != nil {
			v.report("sizes", "no size %q", name)
		}
	}
	for _, s := range v.task.Sizes {
		if !v.dims(s) {
			continue
		}
		v.shapes(s, "input", v.task.Signature.Inputs)
		v.shapes(s, "output", v.task.Signature.Outputs)
		if _, err := s.Eval(v.task.Flops); v.task.Flops != "" && err != nil {
			v.report("flops", "flops at size %s: %v", s.Name, err)
		}
	}
}

// dims reports whether a set has exactly the task's dimensions.
func (v *validator) dims(s SizeSet) bool {
	before, key := len(v.problems), "sizes."+s.Name
	for _, d := range v.task.Signature.Dims {
		if _, ok := s.Values[d]; !ok {
			v.report(key, "size %s gives dimension %s no value", s.Name, d)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(s.Values)) {
		value := s.Values[d]
		if !slices.Contains(v.task.Signature.Dims, d) {
			v.report(key+"."+d, "size %s has unknown dimension %q%s", s.Name, d, spelling.DidYouMean(d, v.task.Signature.Dims))
		}
		if value < 1 || value > maxElements {
			v.report(key+"."+d, "size %s: %s is %d, want 1 to %d", s.Name, d, value, int64(maxElements))
		}
	}
	return len(v.problems) == before
}

func (v *validator) shapes(s SizeSet, kind string, all []Tensor) {
	for i, t := range all {
		key := fmt.Sprintf("%s.%d.shape", kind, i)
		shape, err := s.Shape(t)
		switch {
		case err != nil:
			v.report(key, "size %s: %v", s.Name, err)
		case len(shape) == 0:
			v.report(key, "tensor %s has no shape", t.Name)
		case tooLarge(shape):
			v.report(key, "size %s: tensor %s has more than %d elements", s.Name, t.Name, int64(maxElements))
		}
	}
}

func tooLarge(shape []int64) bool {
	n := int64(1)
	for _, d := range shape {
		if d > maxElements/n {
			return true
		}
		n *= d
	}
	return false
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// reservedNames cannot name a parameter of solve.
func reservedNames() []string {
	return strings.Fields(`
		alignas alignof and asm auto bitand bitor bool break case catch char class compl const constexpr const_cast
		continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
		goto if inline int long mutable namespace new noexcept not nullptr operator or private protected public register
		reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this throw
		true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
		threadIdx blockIdx blockDim gridDim warpSize dim3 stream solve reference real hone`)
}
