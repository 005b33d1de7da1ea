package compile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestEmulationGolden rewrites every file of testdata/rewrite; the result stands
// beside it.
func TestEmulationGolden(t *testing.T) {
	t.Parallel()
	for _, path := range corpus(t) {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			src := readFile(t, path)
			f := Parse(caseName(path), src)
			r := forEmulation(f)
			checkRewritten(t, src, r)
			golden(t, strings.TrimSuffix(path, ".cu")+".golden", r.text)
			if len(f.Unsupported) > 0 {
				t.Errorf("unsupported: %v", f.Unsupported)
			}
		})
	}
}

func corpus(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/rewrite/*.cu")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d sources, error %v", len(paths), err)
	}
	return paths
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".cu") }

func readFile(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// golden compares with a stored text, or stores it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readFile(t, path); got != want {
		t.Errorf("%s differs (run with -update and read the change)\ngot:\n%s", path, got)
	}
}

// checkRewritten holds what every rewriting promises: as many lines as before,
// and everything outside of the edits byte for byte.
func checkRewritten(t *testing.T, src string, r rewritten) {
	t.Helper()
	if got, want := strings.Count(r.text, "\n"), strings.Count(src, "\n"); got != want {
		t.Errorf("%d line breaks, want %d:\n%s", got, want, r.text)
	}
	for i, s := range r.segments {
		end := len(r.text)
		if i+1 < len(r.segments) {
			end = r.segments[i+1].at
		}
		if text := r.text[s.at:end]; s.copied && text != src[s.origin:s.origin+len(text)] {
			t.Errorf("copied text %q differs from the original", text)
		}
	}
}

// TestPositions follows places of the rewritten text back to the original.
func TestPositions(t *testing.T) {
	t.Parallel()
	src := "__global__ void k() { __shared__ float tile[N]; }\nvoid f() { k<T><<<grid, block>>>(arg); after; }\n"
	r := forEmulation(Parse("kernel.cu", src))
	for _, word := range []string{"float", "N]", "grid", "block", "arg", "after"} {
		got, want := strings.Index(r.text, word), strings.Index(src, word)
		line, column := 1+strings.Count(r.text[:got], "\n"), got-strings.LastIndexByte(r.text[:got], '\n')
		wantLine, wantColumn := 1+strings.Count(src[:want], "\n"), want-strings.LastIndexByte(src[:want], '\n')
		if gotLine, gotColumn := r.position(line, column); gotLine != wantLine || gotColumn != wantColumn {
			t.Errorf("%s: %d:%d leads to %d:%d, want %d:%d", word, line, column, gotLine, gotColumn, wantLine, wantColumn)
		}
		if r.generated(line, column) {
			t.Errorf("%s: taken for generated", word)
		}
	}
	kernel := strings.LastIndex(r.text, "k<T>") - strings.IndexByte(r.text, '\n')
	if line, column := r.position(2, kernel); line != 2 || column != 12 {
		t.Errorf("the kernel in the lambda leads to %d:%d, want 2:12", line, column)
	}
	launch := strings.Index(r.text, "::hone::launch") - strings.IndexByte(r.text, '\n')
	if !r.generated(2, launch) {
		t.Error("the launch function is not taken for generated")
	}
	for _, out := range [][2]int{{3, 7}, {9, 1}, {1, 0}, {-1, -1}, {2, 1000}} {
		if line, column := r.position(out[0], out[1]); line != out[0] || column != out[1] {
			t.Errorf("%v leads to %d:%d", out, line, column)
		}
	}
}

func TestApplySkipsOverlaps(t *testing.T) {
	t.Parallel()
	r := apply("0123456789", []edit{
		{6, 8, []piece{made("B")}}, {2, 4, []piece{made("A"), copyOf("0123456789", tokenRange{2, 3})}}, {3, 7, []piece{made("never")}},
	})
	if r.text != "01A245B89" {
		t.Errorf("got %q", r.text)
	}
}

// FuzzEmulation holds the promises of a rewriting for any text.
func FuzzEmulation(f *testing.F) {
	for _, path := range []string{"macros", "several_lines", "shared_static", "shared_macro", "conditions", "templates"} {
		raw, err := os.ReadFile("testdata/rewrite/" + path + ".cu")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	for _, seed := range []string{
		"#define A(b)k<<<b>>>(b)", "k<R\"(\n)\"><<<1>>>()", "__shared__ extern int a[],b[\\\n];", "x::k<\n1><<<>>>()", "#if\n__shared__ a,",
		"#define Q __shared__ int a[\\\n]\\\n", "default:k<<<1,1>>>(\n)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r := forEmulation(Parse("kernel.cu", src))
		checkRewritten(t, src, r)
		for line := range min(strings.Count(src, "\n")+2, 30) {
			for _, column := range []int{0, 1, 5, 40} {
				if got, _ := r.position(line, column); got < 0 || got > strings.Count(src, "\n")+1 && got != line {
					t.Fatalf("%d:%d leads to line %d", line, column, got)
				}
			}
		}
	})
}
