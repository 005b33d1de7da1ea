package cuda

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"named", &Error{Library: "libcuda", Call: "cuMemAlloc_v2", Code: 2, Name: "CUDA_ERROR_OUT_OF_MEMORY", Text: "out of memory"},
			"cuMemAlloc_v2: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)"},
		{"nameless", &Error{Library: "NVML", Call: "nvmlInit_v2", Code: 9, Text: "Driver Not Loaded"},
			"nvmlInit_v2: Driver Not Loaded (NVML error 9)"},
		{"sticky", &Error{Library: "libcuda", Call: "cuCtxSynchronize", Code: 719, Name: "N", Text: "x", Sticky: true},
			"cuCtxSynchronize: x (N, 719); the device can be used again only from a new process"},
		{"unavailable", &Unavailable{Reason: "libcuda was not found", Remedy: "install the driver"},
			"libcuda was not found: install the driver"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestStickyCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]bool{
		0: false, 1: false, 2: false, 214: true, 220: true, 226: true, 600: false, 700: true, 701: false, 702: true,
		708: false, 709: true, 710: true, 712: false, 713: false, 714: true, 716: true, 719: true, 720: false, 721: true, 999: false,
	} {
		if sticky(code) != want {
			t.Errorf("sticky(%d) is %t", code, !want)
		}
	}
}

func TestStickyLooksInside(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("launch kernel: %w", &Error{Sticky: true})
	if !Sticky(err) || Sticky(&Error{}) || Sticky(errors.New("x")) || Sticky(nil) {
		t.Error("Sticky does not follow the error that it wraps")
	}
}
