package judge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"example.com/hone/gpu"
)

func TestFramesCarryWhatJSONCannot(t *testing.T) {
	t.Parallel()
	score := 1.73
	sent := answer{ID: 3, Verdict: &gpu.Verdict{
		Outcome: gpu.OutcomeMismatch, Score: &score,
		Check: &gpu.Check{First: []gpu.Mismatch{{Index: []int64{1}, Expected: gpu.Number(math.Inf(-1)), Got: 2}}},
	}}
	var pipe bytes.Buffer
	if err := writeFrame(&pipe, sent); err != nil {
		t.Fatal(err)
	}
	var got answer
	if err := readFrame(&pipe, &got); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("got %+v, %v; sent %+v", got, err, sent)
	}
	if err := readFrame(&pipe, &got); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want EOF", err)
	}
}

func TestReadFrameRefuses(t *testing.T) {
	t.Parallel()
	frame := func(size uint32, body string) string {
		return string(binary.LittleEndian.AppendUint32(nil, size)) + body
	}
	for name, c := range map[string][2]string{
		"a length beyond the bound": {frame(maxFrame+1, ""), "more than"},
		"a body cut short":          {frame(10, "{}"), "unexpected EOF"},
		"a header cut short":        {"\x01\x00", "unexpected EOF"},
		"no JSON":                   {frame(3, "abc"), "decode"},
		"another type":              {frame(8, `{"id":{}`), "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got answer
			if err := readFrame(strings.NewReader(c[0]), &got); err == nil || !strings.Contains(err.Error(), c[1]) {
				t.Errorf("error = %v, want %q", err, c[1])
			}
		})
	}
}

func TestWriteFrameRefusesTooMuch(t *testing.T) {
	t.Parallel()
	if err := writeFrame(io.Discard, answer{Error: strings.Repeat("x", maxFrame)}); err == nil {
		t.Error("a frame beyond the bound was written")
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00{}"))
	f.Add([]byte("\x10\x00\x00\x00{\"id\":1,\"event\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got answer
		if err := readFrame(bytes.NewReader(data), &got); err == nil {
			var again bytes.Buffer
			if err := writeFrame(&again, got); err != nil {
				t.Errorf("read %+v, but cannot write it: %v", got, err)
			}
		}
	})
}
