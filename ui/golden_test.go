package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/ui/term"
)

// scene brings a bench to a state that is worth a picture.
type scene struct {
	name string
	play func(*testing.T, *bench)
}

// buildAhead goes on to a compile stage while the reply to turn 4 goes on.
func (b *bench) buildAhead(compile gpu.Event) {
	reply := until(4, agent.KindModelResponded, 1)
	b.openSoftmax(reply[:len(reply)-1])
	compile.Stage = gpu.StageCompile
	for _, e := range []gpu.Event{{Stage: gpu.StageRules, Status: gpu.StatusOK, Elapsed: 40 * time.Microsecond}, compile} {
		b.hear(agent.Event{Kind: agent.KindStageAhead, Turn: 4, Time: b.now, Data: &e})
	}
}

func scenes() []scene {
	return []scene{
		{"browse", func(t *testing.T, b *bench) { b.run(b.Init()) }},
		{"browse-filter", func(t *testing.T, b *bench) {
			b.press("/")
			b.write("soft")
		}},
		{"empty", func(t *testing.T, b *bench) { b.openSoftmax(agenttest.Story()[:3]) }},
		{"thinking", func(t *testing.T, b *bench) { b.openSoftmax(until(1, agent.KindTextDelta, 8)) }},
		{"writing", func(t *testing.T, b *bench) { b.openSoftmax(until(4, agent.KindTextDelta, 60)) }},
		{"writing-ahead", func(t *testing.T, b *bench) {
			b.buildAhead(gpu.Event{Status: gpu.StatusRunning, Detail: "g++ for the CPU emulation", Elapsed: 700 * time.Millisecond})
		}},
		{"failed-ahead", func(t *testing.T, b *bench) {
			b.buildAhead(gpu.Event{
				Status: gpu.StatusFailed, Elapsed: 361 * time.Millisecond,
				Detail: "did not compile: kernel.cu:32:33: too few arguments to function 'float block_sum(float, float*)' (and 1 more)",
			})
		}},
		{"judging", func(t *testing.T, b *bench) { b.openSoftmax(until(3, agent.KindStageChanged, 5)) }},
		{"compile-error", func(t *testing.T, b *bench) { b.openSoftmax(until(1, agent.KindTurnEnded, 1)) }},
		{"mismatch", func(t *testing.T, b *bench) {
			b.openSoftmax(until(2, agent.KindTurnEnded, 1))
			b.press("3")
		}},
		{"accepted", func(t *testing.T, b *bench) { b.openSoftmax(agenttest.Story()) }},
		{"turns", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Story())
			b.press("4", "k")
		}},
		{"old-turn", func(t *testing.T, b *bench) {
			b.openSoftmax(until(3, agent.KindTurnEnded, 1))
			b.press("[")
			b.play(until(4, agent.KindTextDelta, 40)[len(until(3, agent.KindTurnEnded, 1)):], 10)
		}},
		{"reply", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Story())
			b.press("v")
		}},
		{"prompt-next", func(t *testing.T, b *bench) {
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			b.press("P", "P")
			b.hear(drafted(4))
		}},
		{"hint", func(t *testing.T, b *bench) {
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			b.press("h")
			b.write("use warp shuffles, 行 by 行")
		}},
		{"edit-here", func(t *testing.T, b *bench) {
			b.openSoftmax(until(1, agent.KindTurnEnded, 1))
			b.press("E")
		}},
		{"leave", func(t *testing.T, b *bench) {
			b.openSoftmax(until(4, agent.KindTextDelta, 40))
			b.press("q")
		}},
		{"diff", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Story())
			b.press("[", "d")
		}},
		{"compare-any", func(t *testing.T, b *bench) {
			b.openSoftmax(onGPU(6))
			b.press("o", "3", "enter")
		}},
		{"compare-all-figures", func(t *testing.T, b *bench) {
			b.openSoftmax(onGPU(6))
			b.press("o", "1", "enter", "t")
		}},
		{"compare-ask", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Marked())
			b.press("o")
		}},
		{"help", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Story())
			b.press("?")
		}},
		{"runs", func(t *testing.T, b *bench) {
			b.run(b.Init())
			b.press("t")
		}},
		{"gpu", func(t *testing.T, b *bench) { b.openSoftmax(onGPU(4)) }},
		{"gpu-verdict", func(t *testing.T, b *bench) {
			b.openSoftmax(onGPU(4))
			b.press("3")
		}},
		{"gpu-slow", func(t *testing.T, b *bench) {
			b.openSoftmax(onGPU(3))
			b.press("3", "G")
		}},
		{"gpu-suspect", func(t *testing.T, b *bench) {
			b.openSoftmax(onGPU(5))
			b.press("3")
		}},
		{"gpu-accepted", func(t *testing.T, b *bench) { b.openSoftmax(agenttest.GPUStory()) }},
		{"marks", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Marked())
			b.press("4")
		}},
		{"marks-verdict", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Marked())
			b.press("3", "G")
		}},
		{"rate", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Marked())
			b.press("*")
		}},
		{"note", func(t *testing.T, b *bench) {
			b.openSoftmax(agenttest.Marked())
			b.press("N")
			b.write("two rows a warp, 行 by 行")
		}},
		{"stored", func(t *testing.T, b *bench) { b.run(b.show("01KB7XQ0A9J4S2V6W8Y0Z1C3E5")) }},
	}
}

func (b *bench) openSoftmax(events []agent.Event) {
	b.t.Helper()
	b.run(b.open(agenttest.Task()))
	b.play(events, 7)
}

type size struct{ w, h int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

func TestScenesLookAsKept(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		for _, at := range []size{{80, 24}, {120, 40}, {200, 60}} {
			t.Run(s.name+"/"+at.String(), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, at.w, at.h, term.Profile{Colour: term.TrueColour})
				s.play(t, b)
				frame := b.View()
				checkFrame(t, frame, at.w, at.h)
				golden.RequireEqual(t, []byte(ansi.Strip(frame)+"\n"))
			})
		}
	}
}

func TestTooSmallSaysSoAndComesBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story())
	b.press("[", "ctrl+d")
	before := b.View()
	b.resize(40, 10)
	checkFrame(t, b.View(), 40, 10)
	golden.RequireEqual(t, []byte(b.View()+"\n"))
	b.resize(120, 40)
	if b.View() != before {
		t.Error("the screen is not as it was before it was too small")
	}
}

func TestColoursLookAsKept(t *testing.T) {
	t.Parallel()
	stories := map[string][]agent.Event{"": until(2, agent.KindTurnEnded, 1), "gpu-": onGPU(3)}
	for name, p := range map[string]term.Profile{
		"dark":  {Colour: term.TrueColour},
		"light": {Colour: term.TrueColour, Light: true},
		"16":    {Colour: term.Colour16},
		"ascii": {ASCII: true},
	} {
		for story, events := range stories {
			t.Run(story+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, 120, 40, p)
				b.openSoftmax(events)
				checkFrame(t, b.View(), 120, 40)
				golden.RequireEqual(t, []byte(b.View()+"\n"))
			})
		}
	}
}
