package main

import (
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge"
)

func TestNextDevice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, configured string
		emulated         bool
		i                int
		want             string
	}{
		{"the second GPU", judge.DeviceAuto, false, 1, "1"},
		{"from a GPU on", "2", false, 3, "5"},
		{"no GPU", judge.DeviceAuto, true, 1, judge.DeviceEmulated},
		{"none wanted", judge.DeviceEmulated, true, 1, judge.DeviceEmulated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &app{config: config{Device: tt.configured}}
			if got := a.nextDevice(gpu.Machine{Emulated: tt.emulated}, tt.i); got != tt.want {
				t.Errorf("device %s, want %s", got, tt.want)
			}
		})
	}
}
