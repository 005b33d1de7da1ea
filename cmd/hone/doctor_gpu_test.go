package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/cuda"
)

func TestReadProbe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, out string
		err       error
		want      string // part of the detail
	}{
		{"answer", `[{"name":"GPU 0","status":"off","detail":"NVIDIA H200"}]`, nil, "NVIDIA H200"},
		{"crash", "", errors.New("signal: segmentation fault"), "failed: signal: segmentation fault"},
		{"no answer", "", nil, "failed: unexpected end"},
		{"other words", "hello", nil, "failed: invalid character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readProbe([]byte(tt.out), tt.err)
			if len(got) != 1 || !strings.Contains(got[0].Detail, tt.want) || got[0].Status != "off" || got[0].Needed {
				t.Errorf("findings %+v", got)
			}
		})
	}
}

func TestProbeThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "cat")
	endless, hold := io.Pipe()
	t.Cleanup(func() { _ = hold.Close() })
	cmd.Stdin = endless
	got := runProbe(ctx, cmd)
	if len(got) != 1 || !strings.Contains(got[0].Detail, "did not answer within 2s") || got[0].Remedy == "" {
		t.Errorf("findings %+v", got)
	}
}

// TestProbeAlwaysAnswers asks for real: with a device, without, without cgo.
func TestProbeAlwaysAnswers(t *testing.T) {
	t.Parallel()
	findings := probeGPU(cuda.Options{})
	if len(findings) == 0 || !strings.HasPrefix(findings[0].Name, "GPU") || findings[0].Detail == "" {
		t.Errorf("findings %+v", findings)
	}
	for _, f := range findings {
		if f.Status != "ok" && f.Status != "off" {
			t.Errorf("%s is %s", f.Name, f.Status)
		}
		if f.Needed {
			t.Errorf("%s is needed: kernels can be judged by emulation as well", f.Name)
		}
	}
}

func TestStateInWords(t *testing.T) {
	t.Parallel()
	clock, celsius := 345, 31
	for _, tt := range []struct {
		name    string
		reading cuda.Reading
		want    string
	}{
		{"nothing told", cuda.Reading{}, ""},
		{"idle", cuda.Reading{Clock: &clock, Temperature: &celsius, Throttle: []string{"idle"}}, "clock 345 of 1980 MHz, 31 °C"},
		{
			"hot and shared", cuda.Reading{Throttle: []string{"idle", "too hot (software)"}, Others: []cuda.Process{{PID: 7}}},
			"clocks held down: too hot (software), used by other processes: 1",
		},
	} {
		if got := strings.Join(stateOf(tt.reading, 1980), ", "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
