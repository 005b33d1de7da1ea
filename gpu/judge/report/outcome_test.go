package report

import (
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// blank is a report of which nothing is known yet.
func blank() *Report { return New(gpu.Request{}, func(gpu.Event) {}) }

// floats is an output of one row.
func floats(elements ...float64) check.Values {
	v := check.Values{Name: "y", DType: tasks.Float32, Shape: []int64{1, int64(len(elements))}, Bytes: make([]byte, 4*len(elements))}
	for i, e := range elements {
		v.SetFloat(i, e)
	}
	return v
}

func TestWhatIsToldOfEachOutcome(t *testing.T) {
	t.Parallel()
	wrongSum := func(r *Report) {
		truth := floats(1, 2, 3, 4)
		d := check.Compare(check.Output{Got: floats(1, 2, 3, 9), Truth: truth, Baseline: truth}, tasks.Tolerance{Abs: 1e-5, Rel: 1e-5})
		r.Verdict.Check = &gpu.Check{First: d.First(0, 5)}
		r.Mismatch(Mismatch{Diffs: []check.Difference{d}, Filler: 0xFF})
	}
	for name, c := range map[string]struct {
		conclude          func(*Report)
		outcome           gpu.Outcome
		summary, feedback string
	}{
		"rejected": {
			func(r *Report) { r.Reject(gpu.OutcomeParse, "there is no kernel text") },
			gpu.OutcomeParse, "there is no kernel text", "Your answer could not be used: there is no kernel text.",
		},
		"not compiled": {
			func(r *Report) {
				r.Verdict.Diagnostics = []gpu.Diagnostic{
					{File: "kernel.cu", Line: 3, Column: 7, Severity: "warning", Message: "unused"},
					{File: "kernel.cu", Line: 4, Column: 2, Severity: "error", Message: "expected ';'"},
					{File: "kernel.cu", Severity: "error", Message: "no function named solve"},
				}
				r.NotCompiled()
			},
			gpu.OutcomeCompile, "did not compile: kernel.cu:4:2: expected ';' (and 1 more)",
			"Your kernel did not compile. Errors:\nkernel.cu:4:2: expected ';'\nkernel.cu: no function named solve",
		},
		"out of bounds": {
			func(r *Report) {
				r.Failed(worker.Fault{Kind: worker.FaultOutOfBounds, Message: "read x[8] of 8", Kernel: "k", Line: 5, Block: &[3]int64{1, 0, 0}, Thread: &[3]int64{2, 0, 0}})
			},
			gpu.OutcomeRuntime,
			"failed at run time: read x[8] of 8 (kernel k, line 5, block (1,0,0), thread (2,0,0)): compare the index with the size before the access",
			"Your kernel compiled, but failed when it ran: read x[8] of 8 (kernel k, line 5, block (1,0,0), thread (2,0,0)).",
		},
		"timeout": {
			func(r *Report) {
				r.Failed(worker.Fault{Kind: worker.FaultTimeout, Message: "did not end within 3s"})
			},
			gpu.OutcomeTimeout, "did not end within 3s: look for a loop that does not end",
			"Your kernel compiled, but one call of solve did not end within 3s.",
		},
		"unsupported": {
			func(r *Report) { r.Unsupported("inline PTX (asm) at line 12", 12) },
			gpu.OutcomeUnsupported, "unsupported on CPU: inline PTX (asm) at line 12",
			"Your kernel was not judged: CUDA is emulated on a CPU here, which cannot run inline PTX (asm) at line 12.",
		},
		"something is missing": {
			func(r *Report) { r.CannotRun("Triton is not installed: pip install triton", 3) },
			gpu.OutcomeUnsupported, "not judged: Triton is not installed: pip install triton",
			"Your kernel was not judged: Triton is not installed: pip install triton.",
		},
		"nvcc missing": {
			func(r *Report) { r.NeedsNVCC("CUB", 3) },
			gpu.OutcomeUnsupported, "not judged: CUB (line 3) needs nvcc, which is not installed here: install the CUDA toolkit",
			"Your kernel was not judged: this machine has no nvcc, which CUB (line 3) needs.",
		},
		"input changed": {
			func(r *Report) { r.Tampered("x") },
			gpu.OutcomeMismatch, "incorrect: changed its input x", "Your kernel compiled and ran, but is incorrect: it changed its input x.",
		},
		"guard written": {
			func(r *Report) {
				r.Failed(worker.Fault{Kind: worker.FaultOutOfBounds, Message: "wrote outside y: 3 bytes changed after its end"})
			},
			gpu.OutcomeRuntime,
			"failed at run time: wrote outside y: 3 bytes changed after its end: compare the index with the size before the access",
			"Your kernel compiled, but failed when it ran: wrote outside y: 3 bytes changed after its end.",
		},
		"mismatch": {
			wrongSum, gpu.OutcomeMismatch, "incorrect: 1 of 4 elements of y are wrong, only the last column (3)",
			"Your kernel compiled and ran, but its output is incorrect: 1 of 4 elements of y are wrong.\n" +
				"What they have in common: only the last column (3).\nThe first of them:\ny[0, 3]: expected 4, got 9",
		},
		"correct": {
			func(r *Report) {
				r.Verdict.Speedup["reference"] = 1.4321
				r.Verdict.Timing = &gpu.Timing{Emulated: true}
				r.Correct()
			},
			gpu.OutcomeCorrect, "correct, 1.43x the reference (emulated on CPU: not a GPU time)",
			"Your kernel is correct. Speedup over the reference: 1.43.",
		},
		"correct on a GPU": {
			func(r *Report) {
				r.Verdict.Speedup["reference"] = 1.4321
				r.Verdict.Timing = &gpu.Timing{MedianUS: 41.23456}
				r.Correct()
			},
			gpu.OutcomeCorrect, "correct, 1.43x the reference, 41.23 us", "Your kernel is correct. Speedup over the reference: 1.43.",
		},
		"correct beside eager": {
			func(r *Report) {
				r.Verdict.ScoreBasis = EagerBasis
				r.Verdict.Speedup[EagerBasis] = 2
				r.Correct()
			},
			gpu.OutcomeCorrect, "correct, 2.00x PyTorch eager", "Your kernel is correct. Speedup over PyTorch eager: 2.00.",
		},
		"against the rules": {
			func(r *Report) {
				r.Violates("kevin", []Violation{{"torch-operator", 3, "torch.relu computes"}, {"no-try", 9, "try hides failures"}})
			},
			gpu.OutcomeRule, "breaks a rule of kevin: line 3: torch.relu computes (rule torch-operator) (and 1 more)",
			"Your answer breaks the rules and was not run:\nline 3: torch.relu computes (rule torch-operator)\nline 9: try hides failures (rule no-try)",
		},
		"suspect": {
			func(r *Report) { r.Suspect("it took less time than none") },
			gpu.OutcomeSuspect, "suspect: it took less time than none",
			"Your kernel's output is correct, but its time cannot be believed: it took less time than none.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := blank()
			c.conclude(r)
			v := r.Verdict
			if v.Outcome != c.outcome || v.Summary != c.summary || v.Feedback != c.feedback {
				t.Errorf("%s\n%s\n%s\nwant %s\n%s\n%s", v.Outcome, v.Summary, v.Feedback, c.outcome, c.summary, c.feedback)
			}
			switch {
			case !v.Outcome.Scored() && v.Score != nil:
				t.Errorf("an outcome that says nothing is scored %v", *v.Score)
			case v.Outcome.Scored() && (v.Score == nil || (*v.Score > 0) != v.Outcome.Correct()):
				t.Errorf("%s is scored %v", v.Outcome, v.Score)
			}
		})
	}
}

func TestFeedbackIsBounded(t *testing.T) {
	t.Parallel()
	r := blank()
	for range 50 {
		r.Verdict.Diagnostics = append(r.Verdict.Diagnostics, gpu.Diagnostic{File: "kernel.cu", Line: 1, Severity: "error", Message: strings.Repeat("é", 3000)})
	}
	r.NotCompiled()
	if n := len([]rune(r.Verdict.Feedback)); n > toldCharacter+20 || !strings.HasSuffix(r.Verdict.Feedback, "(cut here)") {
		t.Errorf("feedback of %d characters ends in %q", n, r.Verdict.Feedback[len(r.Verdict.Feedback)-20:])
	}
}

func TestFindingsAreToldOnce(t *testing.T) {
	t.Parallel()
	r := blank()
	for range 3 {
		r.Find(gpu.Finding{Kind: "race", Line: 4, Evidence: "threads 0 and 1"})
		r.Find(gpu.Finding{Kind: "race", Line: 4, Evidence: "threads 2 and 3"})
		r.Find(gpu.Finding{Kind: "race", Line: 9, Evidence: "threads 0 and 1"})
		r.Find(gpu.Finding{Kind: "input_changed", Evidence: "x"})
		r.Find(gpu.Finding{Kind: "input_changed", Evidence: "w"})
	}
	if got := len(r.Verdict.Findings); got != 4 {
		t.Errorf("%d findings: %+v, want 4", got, r.Verdict.Findings)
	}
	for line := range 100 {
		r.Find(gpu.Finding{Kind: "race", Line: 100 + line})
	}
	if got := len(r.Verdict.Findings); got != maxFindings {
		t.Errorf("%d findings, want the bound %d", got, maxFindings)
	}
}

func TestProgressListsEveryStage(t *testing.T) {
	t.Parallel()
	var events []gpu.Event
	p := progress{observe: func(e gpu.Event) { events = append(events, e) }}
	p.begin(gpu.StageRules)
	p.end(gpu.StatusOK, "")
	p.begin(gpu.StageCompile)
	p.step("g++")
	p.end(gpu.StatusFailed, "did not compile")
	all := p.all()
	if len(all) != 5 || all[1].Detail != "did not compile" || all[2].Status != gpu.StatusSkipped || all[4].Name != gpu.StageTime {
		t.Errorf("stages %+v", all)
	}
	if len(events) != 5 || events[3].Detail != "g++" || events[4].Status != gpu.StatusFailed {
		t.Errorf("events %+v", events)
	}
}

func TestLaunchesInWords(t *testing.T) {
	t.Parallel()
	got := Launches([]gpu.Resources{
		{Kernel: "a", Launches: 1, Grid: [3]int64{128, 1, 1}, Block: [3]int64{256, 1, 1}},
		{Kernel: "b<4>", Launches: 3, Grid: [3]int64{8, 1, 2}, Block: [3]int64{16, 16, 1}},
	})
	if want := "a<<<128, 256>>>, b<4><<<8x1x2, 16x16>>> x3"; got != want {
		t.Errorf("launches = %q, want %q", got, want)
	}
}

func TestPatternNamesTheCauseOfDifferences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		findings []gpu.Finding
		want     string
	}{
		"a race":              {[]gpu.Finding{{Kind: "race", Line: 7, Evidence: "line 7"}}, "a barrier is missing (line 7)"},
		"uninitialised first": {[]gpu.Finding{{Kind: "race"}, {Kind: "uninitialised_shared", Evidence: "line 3"}}, "read before it is written (line 3)"},
		"nothing found":       {nil, "a barrier is missing, or blocks depend on each other"},
	} {
		r := blank()
		r.Verdict.Findings = c.findings
		if got := r.pattern(Mismatch{Differs: true}); !strings.Contains(got, c.want) {
			t.Errorf("%s: pattern %q, want %q", name, got, c.want)
		}
	}
}
