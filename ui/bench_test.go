package ui

import (
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/term"
)

// longReply is a turn whose reply has so many lines of kernel.
func longReply(lines int) []agent.Event {
	start := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	return []agent.Event{
		{Kind: agent.KindTurnStarted, Turn: 1, Time: start, Data: &agent.TurnStarted{Source: agent.SourceModel}},
		{Kind: agent.KindTextDelta, Turn: 1, Time: start, Data: &agent.TextDelta{Reasoning: true, Text: "Think about coalescing.\n"}},
		{Kind: agent.KindTextDelta, Turn: 1, Time: start, Data: &agent.TextDelta{Text: "```cuda\n" +
			strings.Repeat("    float v = __ldg(&in[threadIdx.x + i * blockDim.x]); // strided\n", lines)}},
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, at := range []size{{80, 24}, {120, 40}, {200, 60}} {
		b.Run(at.String(), func(b *testing.B) {
			m := newBench(b, at.w, at.h, term.Profile{Colour: term.TrueColour})
			m.openSoftmax(agenttest.Story())
			b.ReportAllocs()
			for b.Loop() {
				m.View()
			}
		})
	}
}

// BenchmarkFlush is one frame's worth of text at 500 tokens a second, 33 ms, at
// the end of a kernel of some length, and the frame that shows it.
func BenchmarkFlush(b *testing.B) {
	for name, lines := range map[string]int{"100 lines": 100, "3000 lines": 3000} {
		b.Run(name, func(b *testing.B) {
			m := newBench(b, 200, 60, term.Profile{Colour: term.TrueColour})
			m.openSoftmax(agenttest.Story()[:3])
			m.play(longReply(lines), 1)
			delta := agent.Event{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Text: "    acc[i][j] = __fmaf_rn(a[i], b[j], acc[i][j]); // tile\n"}}
			b.ReportAllocs()
			for b.Loop() {
				m.Update(eventsMsg{generation: m.refine.generation, events: []agent.Event{delta}})
				m.View()
			}
		})
	}
}

// BenchmarkKey is a key and the frame that answers it, while a reply streams.
func BenchmarkKey(b *testing.B) {
	m := newBench(b, 200, 60, term.Profile{Colour: term.TrueColour})
	m.openSoftmax(agenttest.Story()[:3])
	m.play(longReply(600), 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keyMsg(pick(i%2 == 0, "k", "j")))
		m.View()
	}
}
