package cuda

import (
	"bytes"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []any
		want []byte
	}{
		{"nothing", nil, nil},
		{"address", []any{Pointer(0x0102030405060708)}, []byte{8, 7, 6, 5, 4, 3, 2, 1}},
		{"int before int64_t", []any{int32(1), int64(2)}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}},
		{"int after int64_t", []any{int64(2), int32(1)}, []byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}},
		{"small ones close together", []any{int8(-1), uint8(2), int16(-2), uint16(4), uint32(5)}, []byte{255, 2, 254, 255, 4, 0, 0, 0, 5, 0, 0, 0}},
		{"bool", []any{true, false, float32(1)}, []byte{1, 0, 0, 0, 0, 0, 0x80, 0x3f}},
		{"double", []any{true, float64(1)}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{"unsigned", []any{uint64(1) << 63}, []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
		{"struct", []any{uint8(1), Struct{[]byte{7, 8, 9, 10}, 2}}, []byte{1, 0, 7, 8, 9, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := pack(tt.args)
			if err != nil || !bytes.Equal(got, tt.want) {
				t.Errorf("%v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []any
		want string
	}{
		{"int", []any{int32(1), 2}, "argument 1: a kernel takes no int"},
		{"string", []any{"x"}, "no string"},
		{"nil", []any{nil}, "no <nil>"},
		{"slice", []any{[]float32{1}}, "no []float32"},
		{"alignment", []any{Struct{[]byte{1}, 3}}, "alignment of 3"},
		{"too much", []any{Struct{make([]byte, maxArguments), 1}, uint8(1)}, "4097 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := pack(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestLaunchIsChecked(t *testing.T) {
	t.Parallel()
	facts := Facts{MaxThreadsPerBlock: 1024, SharedPerBlockOptIn: 232448}
	one := Dim{1, 1, 1}
	tests := []struct {
		name   string
		launch Launch
		want   string
	}{
		{"fits", Launch{Grid: Dim{1<<31 - 1, 65535, 65535}, Block: Dim{4, 4, 64}, Shared: 232448}, ""},
		{"no blocks", Launch{Grid: Dim{1, 0, 1}, Block: one}, "no blocks"},
		{"grid too long", Launch{Grid: Dim{1, 65536, 1}, Block: one}, "beyond"},
		{"no threads", Launch{Grid: one}, "no threads"},
		{"too many threads", Launch{Grid: one, Block: Dim{1025, 1, 1}}, "more than 1024"},
		{"threads beyond 32 bits", Launch{Grid: one, Block: Dim{1 << 31, 2, 1}}, "more than 1024"},
		{"block too deep", Launch{Grid: one, Block: Dim{1, 1, 65}}, "64 in z"},
		{"too much shared", Launch{Grid: one, Block: one, Shared: 232449}, "a block has 232448"},
		{"negative shared", Launch{Grid: one, Block: one, Shared: -1}, "-1 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.launch.check(facts)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}
