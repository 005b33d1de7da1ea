package platform

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	number := func(n int) *int { return &n }
	watts := func(w float64) *float64 { return &w }
	for name, c := range map[string]struct {
		seen      []cuda.Reading
		clock     float64 // 0 for unknown
		power     float64
		throttled string // "", "no", or the reasons
	}{
		"nothing seen": {nil, 0, 0, ""},
		"all unknown":  {[]cuda.Reading{{}, {}}, 0, 0, ""},
		"one reading":  {[]cuda.Reading{{Clock: number(1980), Throttle: []string{}}}, 1980, 0, "no"},
		"the first is of the time before": {
			[]cuda.Reading{{Clock: number(345), Throttle: []string{"idle"}}, {Clock: number(1980), Power: watts(300), Throttle: []string{}}}, 1980, 300, "no"},
		"extremes": {
			[]cuda.Reading{{}, {Clock: number(1980), Power: watts(200), Throttle: []string{"power limit"}},
				{Clock: number(1500), Power: watts(690), Throttle: []string{"power limit", "idle"}}, {}}, 1500, 690, "power limit"},
	} {
		var got gpu.Timing
		Conditions(&got, c.seen)
		throttled := ""
		if got.Throttled != nil {
			throttled = "no"
			if *got.Throttled {
				throttled = strings.Join(got.Throttle, ", ")
			}
		}
		if value(got.ClockMHz) != c.clock || value(got.Power) != c.power || throttled != c.throttled {
			t.Errorf("%s: clock %v, power %v, throttled %q; want %v, %v, %q",
				name, value(got.ClockMHz), value(got.Power), throttled, c.clock, c.power, c.throttled)
		}
	}
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

func TestHeadersAreFoundBesideNVRTC(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	beside, packages := filepath.Join(root, "cuda"), filepath.Join(root, "site-packages")
	plant := func(folder string) string {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "cuda_fp16.h"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	options := cuda.Options{Packages: []string{packages}}
	pip := plant(filepath.Join(packages, "nvidia", "cuda_runtime", "include"))
	library := filepath.Join(beside, "lib64", "libnvrtc.so.13")
	if got := headers(library, options); !exists("/usr/local/cuda/include/cuda_fp16.h") && !slices.Equal(got, []string{pip}) {
		t.Errorf("headers = %v, want those of the package", got)
	}
	include := plant(filepath.Join(beside, "include"))
	cccl := plant(filepath.Join(include, "cccl"))
	if got := headers(library, options); !slices.Equal(got, []string{include, cccl}) {
		t.Errorf("headers = %v, want those beside NVRTC", got)
	}
}

func TestAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		visible string
		number  int
		want    string
	}{
		"all":               {"", 1, "1"},
		"some":              {"4,6", 1, "6"},
		"by name":           {"GPU-8932f937, GPU-12345678", 1, "GPU-12345678"},
		"beyond those told": {"4", 1, "1"},
	} {
		p := &Platform{Number: c.number, visible: Visible{Devices: c.visible, Order: "PCI_BUS_ID"}}
		if got := p.Alone(); !slices.Equal(got, []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + c.want}) {
			t.Errorf("%s: %q, want device %s", name, got, c.want)
		}
	}
}
