package tasks

import (
	"fmt"
	"strings"
)

// Shapes describes a task's tensors and sizes for people and models, one a line:
//
//	input x: float32 [rows, cols]
//	output y: float32 [rows, cols]
//	size small: rows=96 cols=1000
//	size full: rows=16384 cols=1024
//
// Sizes used only on acceptance are not named: the model sees this text. Nor are those
// of a task without dimensions, which has constants in their place where its reference
// takes any:
//
//	constant k = 3
func Shapes(t Task) string {
	var lines []string
	for _, in := range t.Signature.Inputs {
		lines = append(lines, "input "+in.text())
	}
	for _, out := range t.Signature.Outputs {
		lines = append(lines, "output "+out.text())
	}
	for _, c := range t.Signature.Constants {
		lines = append(lines, fmt.Sprintf("constant %s = %s", c.Name, c.Text))
	}
	if len(t.Signature.Dims) == 0 {
		return strings.Join(lines, "\n")
	}
	for _, size := range t.Sizes {
		if size.Name == "small" || size.Name == "full" {
			lines = append(lines, "size "+size.Name+":"+size.text(t.Signature.Dims))
		}
	}
	return strings.Join(lines, "\n")
}

func (t Tensor) text() string {
	return fmt.Sprintf("%s: %s [%s]", t.Name, t.DType, strings.Join(t.Shape, ", "))
}

func (s SizeSet) text(dims []string) string {
	var b strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&b, " %s=%d", d, s.Values[d])
	}
	return b.String()
}
