package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// TestTheDeviceIsKnownLate draws before, and after, it is known what kernels are
// judged on.
func TestTheDeviceIsKnownLate(t *testing.T) {
	t.Parallel()
	const why = "libcuda was not found: install the NVIDIA driver"
	for name, c := range map[string]struct {
		answer gpu.Machine
		err    error
		header string
		help   string // part of it, "" for nothing about the device
	}{
		"a GPU":        {answer: gpu.Machine{Device: "NVIDIA H200"}, header: "NVIDIA H200"},
		"no GPU":       {answer: gpu.Machine{Device: "CPU emulation", Emulated: true, Reason: why}, header: "emulated on CPU", help: why},
		"asked for":    {answer: gpu.Machine{Device: "CPU emulation", Emulated: true}, header: "emulated on CPU"},
		"neither":      {err: errors.New("install g++"), header: "kernels cannot be judged"},
		"hostile name": {answer: gpu.Machine{Device: "a\x1b[2J\nb"}, header: "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 100, 30, term.Profile{})
			b.machine = machine{asked: true}
			b.wantOnScreen("looking for a GPU")
			b.send(machineMsg{c.answer, c.err})
			b.wantOnScreen(c.header)
			b.wantNotOnScreen("looking for a GPU")
			b.press("?")
			if c.help == "" {
				b.wantNotOnScreen("no GPU is used")
			} else {
				b.wantOnScreen("no GPU is used: "+c.help, "hone doctor says more")
			}
			checkFrame(t, b.View(), 100, 30)
		})
	}
}

// TestTheDeviceIsAskedForOnce asks when a screen first shows it, and never for a
// stored run.
func TestTheDeviceIsAskedForOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  string
		keys []string
		want int
	}{
		"at the tasks":                 {"", nil, 1},
		"once":                         {"", []string{"t", "q", "j", "enter"}, 1},
		"not for a stored run":         {"01KB7XQ0A9J4S2V6W8Y0Z1C3E5", nil, 0},
		"when it is left for the list": {"01KB7XQ0A9J4S2V6W8Y0Z1C3E5", []string{"q"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 100, 30, term.Profile{})
			asked := 0
			b.machine, b.Run = machine{}, c.run
			b.Machine = func(context.Context) (gpu.Machine, error) {
				asked++
				return gpu.Machine{Device: "NVIDIA H200"}, nil
			}
			b.run(b.Init())
			b.press(c.keys...)
			if asked != c.want {
				t.Errorf("asked %d times, want %d", asked, c.want)
			}
		})
	}
}

// TestASessionSaysWhatItIsJudgedOn keeps to the session's own device, and the
// tasks learn of it.
func TestASessionSaysWhatItIsJudgedOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.machine = machine{asked: true}
	b.run(b.open(agenttest.Task()))
	b.wantOnScreen("looking for a GPU")
	b.play(agenttest.GPUStory(), 7)
	b.wantOnScreen("NVIDIA H200", "1980 MHz 54 °C")
	b.wantNotOnScreen("looking for a GPU", "emulated")
	b.press("q")
	b.wantOnScreen("NVIDIA H200")
}

func TestTheLogSaysWhyThereIsNoGPU(t *testing.T) {
	t.Parallel()
	level, text := describe(agent.Event{Data: &agent.Environment{Facts: map[string]string{plain.FactNoGPU: "no driver"}}})
	if level != agent.LevelWarn || text != "no GPU is used: no driver (hone doctor says more)" {
		t.Errorf("%s %q", level, text)
	}
	if _, text := describe(agent.Event{Data: &agent.Environment{Facts: map[string]string{"cores": "2"}}}); text != "" {
		t.Errorf("a line %q about nothing", text)
	}
}

// TestUnknownFiguresAreLeftOut shows a GPU verdict that a device told little of.
func TestUnknownFiguresAreLeftOut(t *testing.T) {
	t.Parallel()
	v := agenttest.CorrectOnGPU(agenttest.Kernel(4), 2)
	v.Roofline, v.Methods = nil, nil
	v.Timing.HostSlopeUS, v.Timing.ClockMHz, v.Timing.Temperature, v.Timing.Power, v.Timing.Throttled = nil, nil, nil, nil, nil
	v.Resources[0].Registers, v.Resources[0].SpillBytes, v.Resources[0].Occupancy = nil, nil, nil
	got := verdictText(v, 80)
	for _, absent := range []string{"roofline", "also", "host clock", "MHz", "°C", " W", "registers", "spills", "occupancy", "clocks", "NaN"} {
		if strings.Contains(got, absent) {
			t.Errorf("%q is said of what is not known:\n%s", absent, got)
		}
	}
	if !strings.Contains(got, "NVIDIA H200") || !strings.Contains(got, "cold cache, 120 samples") {
		t.Errorf("what is known is missing:\n%s", got)
	}
}

// TestRooflines draws shares that are small, whole and not to be believed.
func TestRooflines(t *testing.T) {
	t.Parallel()
	flops, achieved, peak := int64(1), 41.2, 61.5
	for name, c := range map[string]struct {
		roofline gpu.Roofline
		want     []string
	}{
		"little":  {gpu.Roofline{Bound: "memory", Percent: 0.4, GBps: 3, PeakGBps: 900, FloorUS: 5}, []string{"──────────  0%, memory bound", "3.00 of 900 GB/s, floor 5.00 us"}},
		"whole":   {gpu.Roofline{Bound: "memory", Percent: 99.6, GBps: 4100, PeakGBps: 4150, FloorUS: 129}, []string{"██████████  100%", "4.10 of 4.15 TB/s"}},
		"above":   {gpu.Roofline{Bound: "memory", Percent: 400, GBps: 9, PeakGBps: 4, FloorUS: 1}, []string{"██████████  400%"}},
		"compute": {gpu.Roofline{Bound: "compute", Percent: 67, Flops: &flops, TFlops: &achieved, PeakTF: &peak, FloorUS: 2100}, []string{"███████───  67%, compute bound", "41.2 of 61.5 TFLOP/s, floor 2.10 ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := agenttest.CorrectOnGPU(agenttest.Kernel(4), 2)
			v.Roofline = &c.roofline
			for _, want := range c.want {
				if got := verdictText(v, 60); !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
		})
	}
}

// TestGPUVerdictsFit keeps every row of a GPU verdict within its pane, also with
// names that no pane is wide enough for.
func TestGPUVerdictsFit(t *testing.T) {
	t.Parallel()
	v := agenttest.Unbelievable(agenttest.Kernel(5))
	v.Timing.Device = strings.Repeat("NVIDIA ", 30)
	v.Timing.Throttle = []string{strings.Repeat("power limit ", 20)}
	throttled := true
	v.Timing.Throttled = &throttled
	for w := 48; w <= 120; w++ {
		for _, row := range strings.Split(verdictText(v, w), "\n") {
			if strings.HasPrefix(row, " ✓ ") {
				continue // a stage's detail is cut by its pane
			}
			if term.Width(row) > w {
				t.Fatalf("%d cells in a pane of %d: %q", term.Width(row), w, row)
			}
		}
	}
}

// verdictText is the verdict pane of a turn that has ended so.
func verdictText(v gpu.Verdict, w int) string {
	turn := &agent.Turn{Phase: agent.PhaseDone, Verdict: &v, End: &agent.TurnEnded{Outcome: string(v.Outcome), Summary: v.Summary}}
	return ansi.Strip(strings.Join(verdictRows(theme.New(term.Profile{}), turn, false, w), "\n"))
}

// TestASuspectIsNoSpeedup shows the evidence once, and no speedup for a time that
// nobody believes.
func TestASuspectIsNoSpeedup(t *testing.T) {
	t.Parallel()
	v := agenttest.Unbelievable(agenttest.Kernel(5))
	v.Findings = append(v.Findings, gpu.Finding{Kind: "host_bound", Severity: "warning", Evidence: "a call takes 201 us"})
	got := verdictText(v, 120)
	if n := strings.Count(got, "this device needs"); n != 1 {
		t.Errorf("the evidence is told %d times:\n%s", n, got)
	}
	for _, want := range []string{"? correct, but not to be believed", "its claim", "host bound", "a call takes 201 us"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "40.0x") || strings.Contains(got, "this kernel") {
		t.Errorf("a speedup is shown:\n%s", got)
	}
}

func TestHeadlines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ outcome, summary, words, cause string }{
		{"mismatch", "wrong result: all of them", "wrong result", "all of them"},
		{"mismatch", "incorrect: all of them", "wrong result", "incorrect: all of them"},
		{"suspect", "suspect: too fast: 3 us", "correct, but not to be believed", "too fast: 3 us"},
		{"unsupported", "unsupported on CPU: inline PTX", "unsupported on CPU", "inline PTX"},
		{"unsupported", "needs nvcc", "unsupported here", "needs nvcc"},
		{"timeout", "", "takes too long", ""},
	} {
		words, cause := headline(c.outcome, &gpu.Verdict{Summary: c.summary})
		if words != c.words || cause != c.cause {
			t.Errorf("%s %q became %q, %q", c.outcome, c.summary, words, cause)
		}
	}
}
