package main

import (
	"context"
	"slices"
	"testing"

	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/ui/plain"
)

func TestTheCompilerThatWasChosen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		compiler string
		nvcc     bool
	}{{compilerAuto, false}, {compilerNVCC, true}} {
		fake := &agenttest.Evaluator{Judgements: []agenttest.Judgement{{}}}
		cfg := config{Compiler: tt.compiler}
		if _, err := cfg.compiling(fake).Evaluate(context.Background(), gpu.Request{Kernel: "k"}, func(gpu.Event) {}); err != nil {
			t.Fatal(err)
		}
		if got := fake.Requests(); len(got) != 1 || got[0].NVCC != tt.nvcc || got[0].Kernel != "k" {
			t.Errorf("%s: asked for %+v", tt.compiler, got)
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
		start := startOf(modelSource{Model: &agenttest.Model{}}, m)
		facts := a.facts(m)
		if start.Device != m.Device || start.Emulated != m.Emulated || facts["device"] != m.Device || facts[plain.FactNoGPU] != m.Reason {
			t.Errorf("%+v became %+v, %v", m, start, facts)
		}
	}
}
