package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
	"example.com/hone/tasks/rules"
	"example.com/hone/ui/plain"
)

func TestWhatEveryEvaluationIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		compiler, rules string
		nvcc            bool
	}{{compilerAuto, "kevin", false}, {compilerNVCC, "open", true}} {
		fake := &agenttest.Evaluator{Judgements: []agenttest.Judgement{{}}}
		cfg := config{Compiler: tt.compiler, Rules: tt.rules}
		if _, err := cfg.judging(fake).Evaluate(context.Background(), gpu.Request{Kernel: "k"}, func(gpu.Event) {}); err != nil {
			t.Fatal(err)
		}
		if got := fake.Requests(); len(got) != 1 || got[0].NVCC != tt.nvcc || got[0].Rules != tt.rules || got[0].Kernel != "k" {
			t.Errorf("%s, %s: asked for %+v", tt.compiler, tt.rules, got)
		}
	}
}

// TestTheDefaultRules holds the name in the help to the sets that there are.
func TestTheDefaultRules(t *testing.T) {
	t.Parallel()
	if first := rules.Sets()[0].Name; first != defaultRules {
		t.Errorf("the default is %s, want %s", defaultRules, first)
	}
}

func TestDialectOfAnAnswer(t *testing.T) {
	t.Parallel()
	native, torch := tasks.Task{Native: "x"}, tasks.Task{}
	for _, tt := range []struct {
		name       string
		task       tasks.Task
		path       string
		configured string
		asked      bool
		want       gpu.Dialect
	}{
		{"a .cu file", torch, "k.cu", dialectAuto, false, gpu.CUDA},
		{"a .py file", native, "k.py", dialectAuto, false, gpu.Torch},
		{"a .py file, cuda configured", native, "k.py", "cuda", false, gpu.Torch},
		{"a .py file, cuda asked for", native, "k.py", "cuda", true, gpu.CUDA},
		{"a .cu file, auto asked for", torch, "k.cu", dialectAuto, true, gpu.CUDA},
		{"standard input, native task", native, "-", dialectAuto, false, gpu.CUDA},
		{"standard input, torch task", torch, "-", dialectAuto, false, gpu.Torch},
		{"standard input, configured", torch, "-", "cuda", false, gpu.CUDA},
	} {
		a := &app{config: config{Dialect: tt.configured}}
		if got := a.dialectOf(tt.task, tt.path, evalOptions{asked: tt.asked}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestTheJudgesEnvironment has what the NVIDIA libraries read, and no key.
func TestTheJudgesEnvironment(t *testing.T) {
	t.Parallel()
	env := judgeEnvironment(func(name string) string {
		if name == "LANG" {
			return ""
		}
		return "x"
	})
	for _, want := range []string{"PATH=x", "CUDA_PATH=x", "CUDA_VISIBLE_DEVICES=x", "LD_LIBRARY_PATH=x", "NVIDIA_VISIBLE_DEVICES=x"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, absent := range []string{"LANG=", "OPENAI_API_KEY=x", "HONE_DEVICE=x"} {
		if slices.Contains(env, absent) {
			t.Errorf("%s is passed on", absent)
		}
	}
}

// TestTheRecordSaysWhatItWasJudgedOn fills the head of a session from the judge's
// answer alone.
func TestTheRecordSaysWhatItWasJudgedOn(t *testing.T) {
	t.Parallel()
	const why = "the NVIDIA driver finds no device: see nvidia-smi"
	for _, m := range []gpu.Machine{{Device: "NVIDIA H200"}, {Device: "CPU emulation", Emulated: true, Reason: why}} {
		a := &app{config: config{Compiler: compilerAuto}}
		start := startOf(agent.Choice{Model: &agenttest.Model{}}, m, gpu.Torch)
		facts := a.facts(m)
		if start.Device != m.Device || start.Dialect != "torch" || start.Emulated != m.Emulated || facts["device"] != m.Device || facts[plain.FactNoGPU] != m.Reason {
			t.Errorf("%+v became %+v, %v", m, start, facts)
		}
	}
}

// telling derives what it is told to.
type telling struct {
	derived tasks.Task
	err     error
	asked   int
}

func (d *telling) Derive(context.Context, tasks.Task) (tasks.Task, error) {
	d.asked++
	return d.derived, d.err
}

func TestHowATaskIsPosed(t *testing.T) {
	t.Parallel()
	native, reference := tasks.Task{ID: "native", Native: "x"}, tasks.Task{ID: "reference"}
	for name, tt := range map[string]struct {
		task    tasks.Task
		dialect gpu.Dialect
		err     error // of the judge
		want    string
		code    int
		asked   int
	}{
		"in Python":                     {reference, gpu.Torch, nil, "reference", exitOK, 0},
		"native, in CUDA C++":           {native, gpu.CUDA, nil, "native", exitOK, 0},
		"by its reference, in CUDA C++": {reference, gpu.CUDA, nil, "derived", exitOK, 1},
		"without a signature":           {reference, gpu.CUDA, &torch.NoSignatureError{Text: "bool"}, "", exitUsage, 1},
		"on no usable machine":          {reference, gpu.CUDA, judge.ErrUnusable, "", exitEvaluator, 1},
		"stopped":                       {reference, gpu.CUDA, context.Canceled, "", exitInterrupted, 1},
	} {
		var said strings.Builder
		judges := &telling{derived: tasks.Task{ID: "derived"}, err: tt.err}
		got, err := posed(t.Context(), judges, tt.task, tt.dialect, &said)
		if _, code := explain(err); code != tt.code || err == nil && got.ID != tt.want || judges.asked != tt.asked {
			t.Errorf("%s: posed %s, %v, asked %d times; want %s, exit code %d", name, got.ID, err, judges.asked, tt.want, tt.code)
		}
		if (said.Len() > 0) != (tt.asked > 0) {
			t.Errorf("%s: said %q", name, said.String())
		}
	}
}
