package tasks

import (
	"fmt"
	"strings"
)

// Text describes a task's tensors at a size for people and models, one a line:
//
//	in   x: float32[rows=128, cols=512]
//	out  y: float32[rows=128, cols=512]
func Text(t Task, size SizeSet) string {
	var b strings.Builder
	for _, in := range t.Signature.Inputs {
		fmt.Fprintf(&b, "in   %s\n", in.Text(size))
	}
	for _, out := range t.Signature.Outputs {
		fmt.Fprintf(&b, "out  %s\n", out.Text(size))
	}
	return b.String()
}

// Text describes a tensor at a size: "x: float32[rows=128, 3, height-2=30]".
func (t Tensor) Text(size SizeSet) string {
	axes := make([]string, len(t.Shape))
	for i, expr := range t.Shape {
		value, err := size.Eval(expr)
		switch {
		case err != nil: // the size lacks a dimension: the name alone still helps
			axes[i] = expr
		case fmt.Sprint(value) == expr:
			axes[i] = expr
		default:
			axes[i] = fmt.Sprintf("%s=%d", expr, value)
		}
	}
	return fmt.Sprintf("%s: %s[%s]", t.Name, t.DType, strings.Join(axes, ", "))
}
