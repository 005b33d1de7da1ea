package ondevice

import (
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

func TestTrials(t *testing.T) {
	t.Parallel()
	list := trials(tasks.SizeSet{Name: "full"}, 3)
	if len(list) != leastTrials {
		t.Fatalf("%d trials, want %d", len(list), leastTrials)
	}
	seeds := map[uint64]bool{}
	own := 0
	for _, trial := range list {
		seeds[trial.seed] = true
		if trial.own() {
			own++
		}
	}
	if len(seeds) != leastTrials-1 || own != leastTrials-2 || list[2].seed != list[0].seed || list[2].changed == 0 || list[1].factor >= 0 {
		t.Errorf("trials %+v", list)
	}
	if n := len(trials(tasks.SizeSet{}, 9)); n != 9 {
		t.Errorf("%d trials, want the 9 asked for", n)
	}
}

func TestOverhead(t *testing.T) {
	t.Parallel()
	if got, want := overheadUS([]gpu.Resources{{Launches: 2}, {Launches: 3}}), callOverheadUS+5*launchOverheadUS; got != want {
		t.Errorf("five launches may cost %v us, want %v", got, want)
	}
}
