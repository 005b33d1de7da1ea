package ui

import (
	"runtime"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/term"
)

// storyAgain is the story told again and again as one session: six turns
// after the other, each building on the one before.
func storyAgain(round int) []agent.Event {
	const turns = 6
	offset := round * turns
	var events []agent.Event
	for _, e := range agenttest.Story() {
		if e.Turn == 0 {
			continue
		}
		e.Turn += offset
		e.Time = e.Time.Add(time.Duration(offset) * time.Minute)
		if d, ok := e.Data.(*agent.TurnStarted); ok {
			again := *d
			again.Parent += offset
			e.Data = &again
		}
		events = append(events, e)
	}
	return events
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestEightHours replays 480 turns, one a minute, with a frame after every
// batch. Each turn may keep what its record says, about 20 KB here, and no
// more: nothing else grows with time. The frame of the last hour costs what
// that of the first did.
func TestEightHours(t *testing.T) {
	const rounds, perRound, mostPerTurn = 80, 6, 40 << 10
	b := newBench(t, 120, 40, term.Profile{Colour: term.TrueColour})
	b.openSoftmax(agenttest.Story()[:3])
	var afterHour, afterEight int64
	var firstAllocs, lastAllocs float64
	for round := range rounds {
		b.play(storyAgain(round), 40)
		switch round {
		case 9: // an hour
			afterHour, firstAllocs = heapInUse(), testing.AllocsPerRun(20, func() { b.View() })
		case rounds - 1:
			afterEight, lastAllocs = heapInUse(), testing.AllocsPerRun(20, func() { b.View() })
		}
	}
	if n := len(b.refine.state.Turns); n != rounds*perRound {
		t.Fatalf("%d turns were played, want %d", n, rounds*perRound)
	}
	turns := int64((rounds - 10) * perRound)
	if growth := (afterEight - afterHour) / turns; growth > mostPerTurn {
		t.Errorf("each turn keeps %d bytes, want at most %d", growth, mostPerTurn)
	}
	if lastAllocs > 2*firstAllocs {
		t.Errorf("a frame costs %.0f allocations after eight hours, %.0f after one", lastAllocs, firstAllocs)
	}
	t.Logf("heap %d KiB after an hour, %d KiB after eight (%d bytes a turn); a frame %.0f and %.0f allocations",
		afterHour>>10, afterEight>>10, (afterEight-afterHour)/turns, firstAllocs, lastAllocs)
}
