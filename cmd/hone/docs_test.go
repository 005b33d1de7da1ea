package main

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/hone/agent/prompt"
)

func readDoc(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryDependencyIsExplained holds docs/dependencies.md to go.mod.
func TestEveryDependencyIsExplained(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "docs", "dependencies.md")
	direct := 0
	for line := range strings.Lines(readDoc(t, "go.mod")) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !strings.Contains(fields[0], ".") || fields[0] == "go" {
			continue // indirect ones have a comment
		}
		direct++
		if !strings.Contains(doc, "| "+fields[0]+" ") {
			t.Errorf("docs/dependencies.md does not say why %s is used", fields[0])
		}
	}
	if direct < 10 {
		t.Errorf("only %d direct dependencies were found: the reading of go.mod is broken", direct)
	}
}

// TestEveryPackageHasItsPlace holds docs/architecture.md, and the description of each
// package, to the folders that there are.
func TestEveryPackageHasItsPlace(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "docs", "architecture.md")
	packages := 0
	for _, top := range []string{"agent", "cmd", "gpu", "tasks", "ui"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.Name() == "testdata" {
				return cmp.Or(err, filepath.SkipDir)
			}
			sources, err := filepath.Glob(filepath.Join(path, "*.go"))
			if err != nil || !entry.IsDir() || len(sources) == 0 {
				return err
			}
			packages++
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if !strings.Contains(doc, "`"+name+"`") {
				t.Errorf("docs/architecture.md does not say what %s is for", name)
			}
			if _, err := os.Stat(filepath.Join(path, "doc.go")); err != nil {
				t.Errorf("%s has no doc.go", name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if packages < 30 {
		t.Errorf("only %d packages were found", packages)
	}
}

// TestLinksLead follows every relative link of the documentation.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	pages := []string{"README.md"}
	list, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(list) < 5 {
		t.Fatalf("found %d pages: %v", len(list), err)
	}
	for _, page := range list {
		pages = append(pages, filepath.Join("docs", filepath.Base(page)))
	}
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(readDoc(t, page), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}

// TestExitCodesAreDocumented holds docs/configuration.md and the help to explain.go.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page := readDoc(t, "docs", "configuration.md")
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "130"} {
		if !strings.Contains(page, "| "+code+" |") || !strings.Contains(exitCodes, code+" ") {
			t.Errorf("exit code %s is not documented", code)
		}
	}
}

// TestEveryFormIsDocumented finds a heading for every form of JSON that a verb
// prints, and below it every field.
func TestEveryFormIsDocumented(t *testing.T) {
	t.Parallel()
	pages := readDoc(t, "docs", "formats.md") + readDoc(t, "docs", "prompts.md")
	schema := regexp.MustCompile(`"(hone\.[a-z-]+/[0-9]+)"`)
	found := 0
	for _, f := range sourceFiles(t) {
		if !strings.HasPrefix(f.path, "cmd/") && !strings.HasPrefix(f.path, "agent/") {
			continue
		}
		for _, name := range schema.FindAllStringSubmatch(readDoc(t, filepath.FromSlash(f.path)), -1) {
			found++
			if !strings.Contains(pages, ": `"+name[1]+"`\n") {
				t.Errorf("no heading of docs/formats.md or docs/prompts.md is about %s of %s", name[1], f.path)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d schemas were found: the search is broken", found)
	}
	for name, rows := range map[string][]any{
		"hone.runs/1":         {runList{}, runRow{}},
		"hone.prompt/1":       {promptRow{}, prompt.Message{}},
		"hone.prompt-check/1": {promptCheck{}, promptProblem{}},
	} {
		_, section, _ := strings.Cut(pages, ": `"+name+"`\n")
		section, _, _ = strings.Cut(section, "\n#")
		for _, row := range rows {
			of := reflect.TypeOf(row)
			for i := range of.NumField() {
				field, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if field != "schema" && !strings.Contains(section, "`"+field+"`") && !strings.Contains(section, "`"+field+"[]`") {
					t.Errorf("%s: field %q is not documented", name, field)
				}
			}
		}
	}
}

// TestEveryPackageIsNamedAbove holds the doc.go of agent and ui to the packages below them.
func TestEveryPackageIsNamedAbove(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range sourceFiles(t) {
		layer, below, _ := strings.Cut(f.pkg, "/")
		name, _, _ := strings.Cut(below, "/")
		if seen[f.pkg] || name == "" || layer != "agent" && layer != "ui" || strings.HasSuffix(name, "test") {
			continue
		}
		seen[f.pkg] = true
		if doc := readDoc(t, layer, "doc.go"); !regexp.MustCompile(`\b` + name + `\b`).MatchString(doc) {
			t.Errorf("%s/doc.go does not name %s", layer, name)
		}
	}
}

// TestReadersPath keeps the five files that explain the whole program short.
func TestReadersPath(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, path := range []string{"README.md", "cmd/hone/root.go", "agent/session.go", "agent/event.go", "ui/model.go"} {
		lines += strings.Count(readDoc(t, filepath.FromSlash(path)), "\n")
	}
	if lines > 1200 {
		t.Errorf("the reader's path is %d lines long, want at most 1,200", lines)
	}
}
