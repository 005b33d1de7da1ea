package device

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

func split(t *testing.T, body string) [][]string {
	t.Helper()
	lines, err := splitBody(body)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestReadMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw, want string
	}{
		{"whole", string(encode(typeOK, "a\tb", "c")), ""},
		{"empty", string(encode(typeOK)), ""},
		{"cut short", string(encode(typeOK, "abc"))[:10], "EOF"},
		{"no header", "abc", "EOF"},
		{"an unknown type", string(encode(9, "a")), "type 9"},
		{"too long", "\xff\xff\xff\x7f\x02\x00\x00\x00", "announces"},
		{"no end of line", "\x01\x00\x00\x00\x02\x00\x00\x00a", "whole lines"},
		{"not UTF-8", "\x02\x00\x00\x00\x02\x00\x00\x00\xff\n", "UTF-8"},
		{"too many lines", string(encode(typeOK, make([]string, maxLines+1)...)), "lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readMessage(strings.NewReader(tt.raw))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseAnswers(t *testing.T) {
	t.Parallel()
	const kernel = "kernel\tk\t2\t1\t1\t1\t64\t1\t1\t0\t32\t0\t1024\t2048\tthreads\n"
	result, err := parseCall(split(t, "wall_ns\t1500\n"+kernel))
	if err != nil || result.Wall != 1500*time.Nanosecond || len(result.Kernels) != 1 || *result.Kernels[0].Occupancy != 0.5 {
		t.Errorf("call %+v, %v", result, err)
	}
	times, err := parseTime(split(t, "wall_ns\t9\nempty_ns\t2\nsamples\t5\t6\nsamples\t7\n"), 3)
	if err != nil || times.Empty != 2 || len(times.Samples) != 3 || times.Samples[2] != 7 {
		t.Errorf("time %+v, %v", times, err)
	}
	for _, bad := range []string{
		"wall_ns\t-1\n", "wall_ns\n", "speed\t1\n", "wall_ns\t1\t2\n", "wall_ns\t9007199254740993\n",
		"kernel\tk\n", strings.Repeat(kernel, maxKernels+1),
	} {
		if _, err := parseCall(split(t, bad)); err == nil {
			t.Errorf("call %.40q was read", bad)
		}
	}
	for _, bad := range []string{"", "samples\t1\n", "samples\t1\t2\t3\t4\n", "samples\t1\tx\t2\n", "samples\t1\t-2\t3\n", "other\t1\n"} {
		if _, err := parseTime(split(t, bad), 3); err == nil {
			t.Errorf("time %q was read", bad)
		}
	}
}

func TestParseHelloAndFault(t *testing.T) {
	t.Parallel()
	layers, err := parseHello(split(t, "protocol\t1\nlayer\tseccomp\toff: no\x1bsuch call\n"))
	if err != nil || layers["seccomp"] != "off: no such call" {
		t.Errorf("layers %v, %v", layers, err)
	}
	for _, bad := range []string{"", "protocol\t2\n", "protocol\t1\nlayer\tx\n", "layer\tx\ton\n", strings.Repeat("protocol\t1\n", 40)} {
		if _, err := parseHello(split(t, bad)); err == nil {
			t.Errorf("hello %.40q was read", bad)
		}
	}
	fault, err := parseFault(split(t, "kind\tmisaligned\nmessage\ta \u202eb\x07\nkernel\tk\n"))
	if err != nil || fault.Kind != FaultMisaligned || fault.Message != "a b " || fault.Kernel != "k" {
		t.Errorf("fault %+v, %v", fault, err)
	}
	for _, bad := range []string{"", "kind\tassert\n", "kind\ttimeout\nmessage\tm\n", "kind\tx\nmessage\tm\n", "kind\tassert\nmessage\tm\nline\t3\n", "kind\n"} {
		if _, err := parseFault(split(t, bad)); err == nil {
			t.Errorf("fault %q was read", bad)
		}
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add(encode(typeOK, "wall_ns\t1"))
	f.Add(encode(typeFault, "kind\tassert", "message\tm"))
	f.Add(encode(typeHello, "protocol\t1", "layer\ta\ton"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := readMessage(io.LimitReader(bytes.NewReader(raw), 1<<20))
		if err != nil {
			return
		}
		if result, err := parseCall(m.lines); err == nil && len(result.Kernels) > maxKernels {
			t.Errorf("%d kernels", len(result.Kernels))
		}
		if result, err := parseTime(m.lines, 2); err == nil && len(result.Samples) != 2 {
			t.Errorf("%d samples", len(result.Samples))
		}
		if fault, err := parseFault(m.lines); err == nil && (fault.Message == "" || strings.ContainsAny(fault.Message, "\x1b\r")) {
			t.Errorf("fault %+v", fault)
		}
		if layers, err := parseHello(m.lines); err == nil && len(layers) > maxLayers {
			t.Errorf("%d layers", len(layers))
		}
	})
}
