package cuda

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCallsMatchPrototypes holds every call in the sources against functions.h,
// as the Go compiler cannot: its name is there, with as many parameters.
func TestCallsMatchPrototypes(t *testing.T) {
	t.Parallel()
	parameters := map[string]int{}
	for _, f := range listed() {
		parameters[f.name] = f.parameters
		if f.parameters > maxParameters {
			t.Errorf("%s has %d parameters, more than maxParameters", f.name, f.parameters)
		}
	}
	if len(parameters) == 0 {
		t.Skip(unsupported)
	}
	used := map[string]bool{}
	for _, call := range sourceCalls(t) {
		want, ok := parameters[call.name]
		used[call.name] = true
		if !ok {
			t.Errorf("%s calls %s, which functions.h does not list", call.where, call.name)
		} else if call.args >= 0 && call.args != want {
			t.Errorf("%s calls %s with %d arguments for %d parameters", call.where, call.name, call.args, want)
		}
	}
	for name := range parameters {
		if !used[name] {
			t.Errorf("functions.h lists %s, which nothing calls", name)
		}
	}
}

// sourceCall is the name of a function in a string, and with how many arguments
// it is called, -1 where the call is elsewhere.
type sourceCall struct {
	where, name string
	args        int
}

func sourceCalls(t *testing.T) []sourceCall {
	t.Helper()
	var calls []sourceCall
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		counted := map[ast.Node]bool{}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "call" || n.Ellipsis.IsValid() {
					return true
				}
				if name, ok := functionName(n.Args[0]); ok {
					counted[n.Args[0]] = true
					calls = append(calls, sourceCall{set.Position(n.Pos()).String(), name, len(n.Args) - 1})
				}
			case *ast.BasicLit:
				if name, ok := functionName(n); ok && !counted[n] {
					calls = append(calls, sourceCall{set.Position(n.Pos()).String(), name, -1})
				}
			}
			return true
		})
	}
	return calls
}

// functionName is the function that a string literal names.
func functionName(e ast.Node) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(literal.Value)
	for _, prefix := range []string{"cu", "nvrtc", "nvml"} {
		rest, found := strings.CutPrefix(name, prefix)
		if err == nil && found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && !strings.ContainsAny(rest, " :") {
			return name, true
		}
	}
	return "", false
}
