package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// countingCompiler counts its runs in a file, two for each build.
func countingCompiler(t *testing.T) (c *Compiler, builds func() int) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "runs")
	c = scriptedCompiler(t, "echo run >> "+log+"\n"+makesObjects)
	return c, func() int {
		raw, _ := os.ReadFile(log)
		return strings.Count(string(raw), "run") / 2
	}
}

func mustBuild(t *testing.T, c *Compiler, text string) Artifact {
	t.Helper()
	a, err := c.Build(t.Context(), Source{Text: text})
	if err != nil || !a.OK() {
		t.Fatalf("artefact OK %v, error %v", a.OK(), err)
	}
	return a
}

func TestCacheHit(t *testing.T) {
	t.Parallel()
	c, builds := countingCompiler(t)
	first, second := mustBuild(t, c, "a"), mustBuild(t, c, "a")
	if first.Cached || !second.Cached || first.Key != second.Key || first.Plain != second.Plain || builds() != 1 {
		t.Errorf("first %+v, second %+v, %d builds", first, second, builds())
	}
	again, err := New(t.Context(), c.tools, c.store.folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	if third := mustBuild(t, again, "a"); !third.Cached {
		t.Error("another compiler does not find the entry")
	}
}

func TestTrustedTextIsBuiltOnce(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "runs")
	c := scriptedCompiler(t, "echo run >> "+log+"\n"+makesObjects)
	for _, cached := range []bool{false, true} {
		a, err := c.Build(t.Context(), Source{Text: "a", Trusted: true})
		if err != nil || !a.OK() || a.Checked != "" || a.Cached != cached {
			t.Errorf("cached %v: artefact %+v, error %v", cached, a, err)
		}
	}
	if runs := strings.Count(readFile(t, log), "run"); runs != 1 {
		t.Errorf("%d compiler runs", runs)
	}
	if a := mustBuild(t, c, "a"); a.Cached || a.Checked == "" {
		t.Errorf("the same text, not trusted: %+v", a)
	}
}

func TestCacheKeepsFailures(t *testing.T) {
	t.Parallel()
	c := scriptedCompiler(t, "echo 'kernel.cu:1:1: error: bad'; exit 1")
	for _, cached := range []bool{false, true} {
		a, err := c.Build(t.Context(), Source{Text: "a"})
		if err != nil || a.OK() || a.Cached != cached || len(a.Diagnostics) != 1 || len(a.Log) == 0 {
			t.Errorf("cached %v: artefact %+v, error %v", cached, a, err)
		}
	}
}

func TestCacheKeyParts(t *testing.T) {
	t.Parallel()
	base := Source{Text: "text", Unit: Unit{Declaration: "d", Entry: "e"}, Defines: []string{"A"}}
	tools := Toolchain{Version: "1", Include: "include"}
	key := func(tools Toolchain, version string, src Source) string {
		c := Compiler{tools: tools, gxx: compiler{version: version}}
		file := Parse("", src.Text)
		return c.key(job{source: src, file: file, unit: translationUnit(src.Unit, forEmulation(file).text)})
	}
	seen := map[string]string{key(tools, "12", base): "base"}
	changed := func(what, k string) {
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[k] = what
	}
	changed("toolchain version", key(Toolchain{Version: "2", Include: "include"}, "12", base))
	changed("compiler version", key(tools, "13", base))
	changed("text", key(tools, "12", Source{Text: "other", Unit: base.Unit, Defines: base.Defines}))
	changed("entry", key(tools, "12", Source{Text: "text", Unit: Unit{Declaration: "d", Entry: "f"}, Defines: base.Defines}))
	changed("declaration", key(tools, "12", Source{Text: "text", Unit: Unit{Declaration: "c", Entry: "e"}, Defines: base.Defines}))
	changed("defines", key(tools, "12", Source{Text: "text", Unit: base.Unit}))
	if same := base; key(tools, "12", same) == "" || seen[key(tools, "12", Source{Name: "named", Text: "text", Unit: base.Unit, Defines: base.Defines})] != "base" {
		t.Error("a source's name changes its key")
	}
}

func TestCacheDamage(t *testing.T) {
	t.Parallel()
	damages := map[string]func(folder string) error{
		"object cut":          func(f string) error { return os.Truncate(filepath.Join(f, plainFile), 1) },
		"object changed":      func(f string) error { return os.WriteFile(filepath.Join(f, checkedFile), []byte("evil!!"), 0o600) },
		"object gone":         func(f string) error { return os.Remove(filepath.Join(f, checkedFile)) },
		"description gone":    func(f string) error { return os.Remove(filepath.Join(f, metaFile)) },
		"description damaged": func(f string) error { return os.WriteFile(filepath.Join(f, metaFile), []byte("{"), 0o600) },
		"log gone":            func(f string) error { return os.Remove(filepath.Join(f, logFile)) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, builds := countingCompiler(t)
			first := mustBuild(t, c, "a")
			if err := damage(filepath.Dir(first.Plain)); err != nil {
				t.Fatal(err)
			}
			if a := mustBuild(t, c, "a"); a.Cached || builds() != 2 {
				t.Errorf("cached %v after %d builds", a.Cached, builds())
			}
			if a := mustBuild(t, c, "a"); !a.Cached {
				t.Error("the entry was not put right")
			}
		})
	}
}

func TestCacheConcurrentBuilds(t *testing.T) {
	t.Parallel()
	c, builds := countingCompiler(t)
	other, err := New(t.Context(), c.tools, c.store.folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			who := []*Compiler{c, other}[i%2]
			a, err := who.Build(t.Context(), Source{Text: fmt.Sprint(i % 3)})
			if err != nil || !a.OK() {
				t.Errorf("build %d: OK %v, error %v", i, a.OK(), err)
				return
			}
			for _, path := range []string{a.Plain, a.Checked} {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if n := builds(); n < 3 || n > 12 {
		t.Errorf("%d builds", n)
	}
	folders, err := os.ReadDir(c.store.folder)
	if err != nil || len(folders) != 3 {
		t.Errorf("%d folders left, want the 3 entries; error %v", len(folders), err)
	}
}

func TestCacheEviction(t *testing.T) {
	t.Parallel()
	c, _ := countingCompiler(t)
	first := mustBuild(t, c, "0")
	size := folderSize(filepath.Dir(first.Plain))
	small, err := New(t.Context(), c.tools, c.store.folder, 5*size)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 4; i++ {
		mustBuild(t, small, fmt.Sprint(i))
	}
	old := time.Now().Add(-time.Hour)
	for i, text := range []string{"1", "2", "0"} {
		a := mustBuild(t, small, text)
		if err := os.Chtimes(filepath.Dir(a.Plain), old, old.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	stray := filepath.Join(c.store.folder, "not-ours")
	if err := os.Mkdir(stray, 0o700); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, small, "4")
	mustBuild(t, small, "5")
	entries, total := small.store.list()
	if total > 5*size || len(entries) < 3 {
		t.Errorf("%d entries of %d bytes, limit %d", len(entries), total, 5*size)
	}
	if a := mustBuild(t, small, "3"); !a.Cached {
		t.Error("a recent entry was dropped")
	}
	if a := mustBuild(t, small, "1"); a.Cached {
		t.Error("the entry unused for longest was kept")
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error("a foreign folder was removed")
	}
}

func TestCacheClearsAbandoned(t *testing.T) {
	t.Parallel()
	c, _ := countingCompiler(t)
	abandoned, err := c.store.begin()
	if err != nil {
		t.Fatal(err)
	}
	active, err := c.store.begin()
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(abandoned, old, old); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, c, "a")
	if _, err := os.Stat(abandoned); err == nil {
		t.Error("an abandoned folder stays")
	}
	if _, err := os.Stat(active); err != nil {
		t.Error("a folder in use was removed")
	}
}
