package cuda

import (
	"slices"
	"testing"
	"unsafe"
)

// TestLayouts holds the structs that the libraries read and write against the
// sizes and offsets that their documentation gives.
func TestLayouts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		got, want uintptr
	}{
		{"CUmemLocation", unsafe.Sizeof(location{}), 8},
		{"CUmemAllocationProp", unsafe.Sizeof(allocation{}), 32},
		{"CUmemAllocationProp.location", unsafe.Offsetof(allocation{}.location), 8},
		{"CUmemAccessDesc", unsafe.Sizeof(rights{}), 12},
		{"CUmemAccessDesc.flags", unsafe.Offsetof(rights{}.access), 8},
		{"nvmlProcessInfo_t", unsafe.Sizeof(processInfo{}), 24},
		{"nvmlProcessInfo_t.usedGpuMemory", unsafe.Offsetof(processInfo{}.memory), 8},
		{"nvmlUtilization_t", unsafe.Sizeof(utilization{}), 8},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

func TestThrottleReasons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		mask uint64
		want []string
	}{
		{"none", 0, []string{}},
		{"idle", 1, []string{"idle"}},
		{"several", 0x4 | 0x20, []string{"power limit", "too hot (software)"}},
		{"last known", 0x100, []string{"display clocks"}},
		{"unknown", 1<<63 | 0x200, []string{"reason 9", "reason 63"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := throttleReasons(tt.mask); got == nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
