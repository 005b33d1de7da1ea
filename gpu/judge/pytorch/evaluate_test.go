package pytorch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/inline"
	"example.com/hone/tasks"
	"example.com/hone/tasks/rules"
)

// TestAnswers holds the verdict on every collected answer against what its first
// lines promise. It is one test because the answers share what is built once.
func TestAnswers(t *testing.T) {
	b := newBench(t)
	files, err := filepath.Glob(filepath.Join(collection, "answers", "*", "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers found: %v", err)
	}
	for _, file := range files {
		task := filepath.Base(filepath.Dir(file))
		if strings.HasPrefix(task, "kernelbench_") {
			continue // too large for a CPU
		}
		t.Run(task+"/"+strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) { b.holds(t, task, file) })
	}
}

var collection = filepath.Join("..", "..", "testdata", "torch")

// court is an evaluator that the tests share.
type court struct {
	judge *Evaluator
}

func newBench(t *testing.T) *court {
	t.Helper()
	installation, err := torch.Find(t.Context(), []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"})
	if missing := (*torch.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv(testCache)
	opts := Options{Torch: installation, Cache: cache, Scratch: t.TempDir()}
	if installation.Devices > 0 {
		opts.Platform = platformOf(t, cache)
	}
	judge, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := judge.Close(); err != nil {
			t.Error(err)
		}
	})
	if errors.Is(judge.shop.why, inline.ErrNoHeaders) {
		t.Skip(judge.shop.why)
	}
	return &court{judge: judge}
}

// platformOf is the GPU that there is, nil without one: then the tests are of the emulation.
func platformOf(t *testing.T, cache string) *platform.Platform {
	t.Helper()
	p, err := platform.Open(t.Context(), platform.Options{
		Cache: cache, Libraries: cuda.Options{Toolkit: "/usr/local/cuda"},
		Visible: platform.Visible{Devices: os.Getenv("CUDA_VISIBLE_DEVICES"), Order: os.Getenv("CUDA_DEVICE_ORDER")},
	})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Logf("by emulation: %v", u)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// testCache names the folder of what is built once per machine, which takes a minute. It
// outlives the tests where the environment says so.
const testCache = "HONE_TEST_CACHE"

// TestMain has all tests share what is built once per machine.
func TestMain(m *testing.M) {
	os.Exit(withCache(m.Run))
}

func withCache(run func() int) int {
	if os.Getenv(testCache) != "" {
		return run()
	}
	folder, err := os.MkdirTemp("", "hone-test-")
	if err == nil {
		defer os.RemoveAll(folder)
		err = os.Setenv(testCache, folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no folder for the tests' cache:", err)
		return 1
	}
	return run()
}

func (b *court) holds(t *testing.T, task, file string) {
	text := read(t, file)
	unruled := remark(text, "# ", "unruled")
	b.judged(t, task, gpu.Request{Dialect: gpu.Torch, Kernel: text, Rules: "kevin"}, b.expected(t, text, "# "))
	if len(unruled) > 0 {
		b.judge.find = func(string) (rules.Set, error) { return rules.Set{Name: "none"}, nil }
		b.judged(t, task, gpu.Request{Dialect: gpu.Torch, Kernel: text, Rules: "none"}, unruled)
		b.judge.find = ruleSet
	}
}

// expected is what the first lines of an answer promise for this machine.
func (b *court) expected(t *testing.T, text, comment string) []expectation {
	t.Helper()
	expect := remark(text, comment, "expect")
	if len(expect) == 0 {
		t.Fatalf("the first line is no %sexpect: %q", comment, text[:min(len(text), 60)])
	}
	if onGPU := remark(text, comment, "gpu"); b.judge.shop.gpu != nil && len(onGPU) > 0 {
		return onGPU
	}
	return expect
}

func (b *court) judged(t *testing.T, task string, req gpu.Request, want []expectation) gpu.Verdict {
	t.Helper()
	began := time.Now()
	req.Task, req.Limits = taskOf(t, task), gpu.Limits{Run: 5 * time.Second}
	v, err := b.judge.Evaluate(t.Context(), req, func(gpu.Event) {})
	if err != nil {
		t.Fatalf("the judge could not tell: %v", err)
	}
	t.Logf("%s %s in %s: %s", req.Dialect, req.Rules, time.Since(began).Round(time.Millisecond), v.Summary)
	for _, s := range v.Stages {
		t.Logf("  %-8s %-8s %7.1f ms  %s", s.Name, s.Status, s.MS, s.Detail)
	}
	if !slices.ContainsFunc(want, func(e expectation) bool { return e.met(v) }) {
		t.Errorf("%s %s: %s, want %v; findings %+v, diagnostics %+v, check %+v",
			req.Dialect, req.Rules, v.Outcome, want, v.Findings, v.Diagnostics, v.Check)
	}
	return v
}

func taskOf(t *testing.T, name string) tasks.Task {
	t.Helper()
	text := read(t, filepath.Join(collection, "tasks", name+".py"))
	return tasks.Task{ID: "test/" + name, Name: name, Reference: text, SHA256: fmt.Sprint(len(text), name)}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// expectation is one outcome that an answer may have, with the kind of a finding.
type expectation struct {
	outcome gpu.Outcome
	kind    string // empty for any
}

func (e expectation) met(v gpu.Verdict) bool {
	return v.Outcome == e.outcome && (e.kind == "" ||
		slices.ContainsFunc(v.Findings, func(f gpu.Finding) bool { return f.Kind == e.kind }))
}

// remark reads "# NAME: A [KIND] | B" among the first lines, behind any mark of a comment.
func remark(text, comment, name string) []expectation {
	var list []expectation
	for line := range strings.Lines(text) {
		rest, isRemark := strings.CutPrefix(line, comment)
		if !isRemark {
			break
		}
		if promise, ok := strings.CutPrefix(rest, name+": "); ok {
			for alternative := range strings.SplitSeq(promise, "|") {
				words := append(strings.Fields(alternative), "")
				list = append(list, expectation{gpu.Outcome(words[0]), words[1]})
			}
		}
	}
	return list
}
