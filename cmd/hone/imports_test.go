package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.com/hone/"

// layers in the direction of imports: each may import those before it.
var layers = []string{"tasks", "gpu", "agent", "ui", "cmd"}

// sourceFile is one non-test Go file of the module.
type sourceFile struct {
	path    string // "gpu/judge/client.go"
	pkg     string // "gpu/judge"
	imports []string
	tree    *ast.File
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []sourceFile
	for _, layer := range layers {
		err := fs.WalkDir(os.DirFS(root), layer, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			f := sourceFile{path: path, pkg: filepath.ToSlash(filepath.Dir(path)), tree: tree}
			for _, imp := range tree.Imports {
				name, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					return err
				}
				f.imports = append(f.imports, name)
			}
			files = append(files, f)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 20 {
		t.Fatalf("found only %d source files: the walk is broken", len(files))
	}
	return files
}

// forbidden says why pkg may not import imp, or "".
func forbidden(pkg, imp string) string {
	if own, ok := strings.CutPrefix(imp, module); ok {
		return forbiddenInside(pkg, own)
	}
	under := func(folders ...string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
	}
	switch {
	case imp == "C" && pkg != "gpu/cuda":
		return `import "C" belongs in gpu/cuda alone`
	case screenLibrary(imp) && !under("ui"):
		return "screen libraries belong under ui"
	case strings.HasPrefix(imp, "github.com/sashabaranov/go-openai") && !under("agent/llm", "agent/demo"):
		return "go-openai belongs in agent/llm and agent/demo"
	case imp == "os/signal" && !under("cmd"):
		return "signals belong in cmd"
	}
	return ""
}

func screenLibrary(imp string) bool {
	for _, lib := range []string{"charmbracelet/bubbletea", "charmbracelet/bubbles", "charmbracelet/glamour", "charmbracelet/lipgloss", "alecthomas/chroma"} {
		if strings.HasPrefix(imp, "github.com/"+lib) {
			return true
		}
	}
	return false
}

func forbiddenInside(pkg, imp string) string {
	from, to := layerOf(pkg), layerOf(imp)
	switch {
	case to > from:
		return "imports run tasks <- gpu <- agent <- ui <- cmd"
	case pkg == "gpu" && to == from:
		return "gpu is types alone: nothing below it may be imported"
	case imp == "agent" && slices.Contains([]string{"agent/prompt", "agent/extract", "agent/reward"}, pkg):
		return "agent imports " + pkg
	}
	return ""
}

func layerOf(pkg string) int {
	return slices.Index(layers, strings.SplitN(pkg, "/", 2)[0])
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, f := range sourceFiles(t) {
		for _, imp := range f.imports {
			if why := forbidden(f.pkg, imp); why != "" {
				t.Errorf("%s imports %s: %s", f.path, imp, why)
			}
		}
	}
}

func TestForbiddenImportsAreCaught(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, pkg, imp string }{
		{"upwards", "gpu/judge", module + "agent"},
		{"tasks looks up", "tasks", module + "gpu"},
		{"session looks at screens", "agent", module + "ui/term"},
		{"types import a compiler", "gpu", module + "gpu/compile"},
		{"cycle through the session", "agent/prompt", module + "agent"},
		{"cgo elsewhere", "gpu/judge", "C"},
		{"screen library in the session", "agent", "github.com/charmbracelet/bubbletea"},
		{"chroma in a verb", "cmd/hone", "github.com/alecthomas/chroma/v2"},
		{"client library in the session", "agent", "github.com/sashabaranov/go-openai"},
		{"signals below cmd", "ui", "os/signal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if forbidden(tt.pkg, tt.imp) == "" {
				t.Errorf("%s may import %s", tt.pkg, tt.imp)
			}
		})
	}
	if why := forbidden("ui", module+"agent"); why != "" {
		t.Errorf("ui may not import agent: %s", why)
	}
}

// TestEnvironmentIsReadInCmdAlone keeps the rest of the program a function of
// its arguments.
func TestEnvironmentIsReadInCmdAlone(t *testing.T) {
	t.Parallel()
	banned := []string{"Getenv", "LookupEnv", "Environ", "Exit", "Setenv"}
	for _, f := range sourceFiles(t) {
		if strings.HasPrefix(f.pkg, "cmd/") {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains(banned, sel.Sel.Name) {
				t.Errorf("%s uses os.%s: only cmd may", f.path, sel.Sel.Name)
			}
			return true
		})
	}
}

// TestTopLevelFolders keeps the tree as docs/architecture.md draws it.
func TestTopLevelFolders(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	allowed := append([]string{"docs", "bin"}, layers...)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("unexpected top-level folder %s", e.Name())
		}
	}
}
