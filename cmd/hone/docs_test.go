package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
