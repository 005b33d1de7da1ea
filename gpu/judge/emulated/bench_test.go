package emulated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/emulate"
	"example.com/hone/tasks"
)

// bench is a judge that the tests of real evaluations share, since making the
// emulator takes seconds.
type bench struct {
	judge   *Evaluator
	catalog tasks.Catalog
	scratch string
	cache   string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{catalog: catalog, scratch: t.TempDir(), cache: t.TempDir()}
	b.judge, err = Open(t.Context(), Options{Cache: b.cache, Scratch: b.scratch})
	if missing := (*emulate.MissingCompilerError)(nil); errors.As(err, &missing) {
		t.Skip("needs g++: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.judge.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) task(t *testing.T, name string) tasks.Task {
	t.Helper()
	task, err := b.catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// brief is a task whose emulated size has as few elements as its ragged one.
func (b *bench) brief(t *testing.T, name string) tasks.Task {
	t.Helper()
	task := b.task(t, name)
	ragged, err := task.Size("ragged")
	if err != nil {
		t.Fatal(err)
	}
	ragged.Name = emulatedSize
	task.Sizes = append([]tasks.SizeSet{ragged}, task.Sizes[1:]...)
	return task
}

// hurry has kernels timed by a single sample until the test ends.
func (b *bench) hurry(t *testing.T) { b.time(t, 0) }

// time has kernels timed for so long until the test ends.
func (b *bench) time(t *testing.T, budget time.Duration) {
	t.Helper()
	b.judge.budget = budget
	t.Cleanup(func() { b.judge.budget = timeBudget })
}

// limits are those of a quick machine with a patient owner, and short for loops
// without end.
func limits() gpu.Limits {
	return gpu.Limits{Compile: time.Minute, Run: 3 * time.Second, Trials: 5}
}

func (b *bench) evaluate(ctx context.Context, t *testing.T, req gpu.Request) gpu.Verdict {
	t.Helper()
	if req.Limits == (gpu.Limits{}) {
		req.Limits = limits()
	}
	v, err := b.judge.Evaluate(ctx, req, ignore)
	if err != nil {
		t.Fatalf("the judge could not tell: %v", err)
	}
	return v
}

func ignore(gpu.Event) {}

// kernel reads a kernel of the collection.
func kernel(t *testing.T, task, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "kernels", task, name+".cu"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// expectation is what the first lines of a collected kernel promise.
type expectation struct {
	outcome gpu.Outcome
	kind    string // of a finding; empty for any
	layer   string // of containment that it rests on
}

func expected(text string) (expectation, error) {
	var e expectation
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[1] == "expect:":
			e.outcome = gpu.Outcome(words[2])
			if len(words) > 3 {
				e.kind = words[3]
			}
		case len(words) == 3 && words[1] == "needs:":
			e.layer = words[2]
		default:
			if e.outcome == "" {
				return e, fmt.Errorf("the first line is %q, not // expect: OUTCOME", strings.TrimSpace(line))
			}
			return e, nil
		}
	}
	return e, errors.New("the file ends before the kernel")
}

// met says how a verdict breaks the promise, or "".
func (e expectation) met(v gpu.Verdict) string {
	if v.Outcome != e.outcome {
		return fmt.Sprintf("outcome %s, want %s", v.Outcome, e.outcome)
	}
	if e.kind == "" {
		return ""
	}
	for _, f := range v.Findings {
		if f.Kind == e.kind {
			return ""
		}
	}
	return fmt.Sprintf("findings %+v, want one of kind %s", v.Findings, e.kind)
}
