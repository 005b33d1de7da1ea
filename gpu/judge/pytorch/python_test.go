package pytorch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/inline"
)

// TestNotLoaded holds what a fault while an answer's file was executed is concluded to.
func TestNotLoaded(t *testing.T) {
	t.Parallel()
	failed := inline.Built{Diagnostics: []gpu.Diagnostic{{File: answerFile, Line: 7, Severity: report.Error, Message: "no such thing"}}}
	unsupported := inline.Built{Unsupported: []compile.Construct{{Name: "inline PTX (asm)", Line: 9}}}
	for name, c := range map[string]struct {
		kind    process.FaultKind
		built   []inline.Built
		outcome gpu.Outcome
		first   string // of the diagnostics, empty for none
	}{
		"a build failed":                     {candidate.FaultBuild, []inline.Built{failed}, gpu.OutcomeCompile, "no such thing"},
		"refused before any build":           {candidate.FaultBuild, nil, gpu.OutcomeCompile, "refused"},
		"refused after what only a GPU runs": {candidate.FaultBuild, []inline.Built{unsupported}, gpu.OutcomeCompile, "refused"},
		"only a GPU runs it":                 {candidate.FaultUnsupported, []inline.Built{unsupported}, gpu.OutcomeUnsupported, ""},
		"it raised":                          {candidate.FaultImport, nil, gpu.OutcomeRuntime, ""},
	} {
		f := &python{evaluation: &evaluation{shop: &workshop{}, report: report.New(gpu.Request{}, func(gpu.Event) {})}, built: c.built}
		for _, b := range c.built {
			f.report.Verdict.Diagnostics = append(f.report.Verdict.Diagnostics, b.Diagnostics...)
		}
		f.notLoaded(&process.Fault{Kind: c.kind, Message: "refused", Line: 3})
		v := f.report.Verdict
		if v.Outcome != c.outcome || (len(v.Diagnostics) > 0) != (c.first != "") || c.first != "" && !strings.Contains(v.Summary, c.first) {
			t.Errorf("%s: %s, %q, diagnostics %+v", name, v.Outcome, v.Summary, v.Diagnostics)
		}
	}
}

// TestResourcesOnACPU holds that unknown kernels are null, not none.
func TestResourcesOnACPU(t *testing.T) {
	t.Parallel()
	f := &python{evaluation: &evaluation{shop: &workshop{}}}
	if text, err := json.Marshal(f.resources([]gpu.Resources{})); err != nil || string(text) != "null" {
		t.Errorf("%s, %v", text, err)
	}
}

// TestFileLeavesNothing holds that a file that cannot be written leaves no folder behind.
func TestFileLeavesNothing(t *testing.T) {
	t.Parallel()
	s := &workshop{scratch: t.TempDir()}
	if path, err := s.file(filepath.Join("absent", "answer.py"), ""); err == nil || path != "" {
		t.Errorf("%q, %v", path, err)
	}
	if left, err := os.ReadDir(s.scratch); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestUnsupported holds that only an emulation is said to be one.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gpu  *platform.Platform
		want string
	}{
		"by emulation": {nil, "unsupported on CPU: Triton is not installed"},
		"on a GPU":     {&platform.Platform{}, "not judged: Triton is not installed"},
	} {
		e := &evaluation{shop: &workshop{gpu: c.gpu}, report: report.New(gpu.Request{}, func(gpu.Event) {})}
		e.failed(process.Fault{Kind: candidate.FaultUnsupported, Message: "Triton is not installed"})
		if v := e.report.Verdict; v.Outcome != gpu.OutcomeUnsupported || v.Summary != c.want {
			t.Errorf("%s: %s, %q", name, v.Outcome, v.Summary)
		}
	}
}
