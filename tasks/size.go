package tasks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// Elements is the number of elements of a tensor at a size.
func (s SizeSet) Elements(t Tensor) (int64, error) {
	n := int64(1)
	shape, err := s.Shape(t)
	if err != nil {
		return 0, err
	}
	for _, d := range shape {
		n *= d
	}
	return n, nil
}

// Shape evaluates a tensor's shape at a size.
func (s SizeSet) Shape(t Tensor) ([]int64, error) {
	shape := make([]int64, len(t.Shape))
	for i, expr := range t.Shape {
		v, err := s.Eval(expr)
		if err != nil {
			return nil, fmt.Errorf("tensor %s, axis %d: %w", t.Name, i, err)
		}
		if v <= 0 {
			return nil, fmt.Errorf("tensor %s, axis %d: %s is %d at size %s, want a positive number", t.Name, i, expr, v, s.Name)
		}
		shape[i] = v
	}
	return shape, nil
}

// Eval computes an integer expression of + - * / and parentheses over the
// dimensions. Division truncates.
func (s SizeSet) Eval(expr string) (int64, error) {
	tree, err := parser.ParseExpr(expr)
	if err != nil {
		return 0, fmt.Errorf("expression %q: %w", expr, err)
	}
	v, err := s.eval(tree)
	if err != nil {
		return 0, fmt.Errorf("expression %q: %w", expr, err)
	}
	return v, nil
}

func (s SizeSet) eval(node ast.Expr) (int64, error) {
	switch e := node.(type) {
	case *ast.ParenExpr:
		return s.eval(e.X)
	case *ast.Ident:
		if v, ok := s.Values[e.Name]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("unknown dimension %q", e.Name)
	case *ast.BasicLit:
		if e.Kind == token.INT {
			return strconv.ParseInt(e.Value, 0, 64)
		}
	case *ast.BinaryExpr:
		return s.binary(e)
	}
	return 0, fmt.Errorf("only integers, dimensions and + - * / are allowed")
}

func (s SizeSet) binary(e *ast.BinaryExpr) (int64, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return 0, err
	}
	y, err := s.eval(e.Y)
	if err != nil {
		return 0, err
	}
	switch e.Op {
	case token.ADD:
		return x + y, nil
	case token.SUB:
		return x - y, nil
	case token.MUL:
		return x * y, nil
	case token.QUO:
		if y != 0 {
			return x / y, nil
		}
		return 0, fmt.Errorf("division by zero")
	}
	return 0, fmt.Errorf("operator %s is not allowed", e.Op)
}
