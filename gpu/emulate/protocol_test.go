package emulate

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// order runs a kernel of schedule.cpp and returns the numbers it wrote.
func order(t *testing.T, p *process, c call, n int) []int {
	t.Helper()
	out := newBuffer(t, "order", true, make([]byte, 4*n))
	p.mapBuffers(out)
	if r := p.call(c); r.kind != replyOK {
		t.Fatal(r.lines)
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = int(binary.LittleEndian.Uint32(out.data(t)[4*i:]))
	}
	return numbers
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	p := loaded(t, "schedule.cpp", false)
	forward := make([]int, 200)
	for i := range forward {
		forward[i] = i
	}
	reverse := slices.Clone(forward)
	slices.Reverse(reverse)
	for kind, name := range map[int64]string{1: "a loop", 2: "fibers"} {
		run := func(schedule int, seed uint64) []int {
			return order(t, p, call{schedule: schedule, seed: seed, dims: []int64{kind}}, 200)
		}
		if got := run(0, 0); !slices.Equal(got, forward) {
			t.Errorf("%s forward: %v", name, got)
		}
		if got := run(1, 0); !slices.Equal(got, reverse) {
			t.Errorf("%s in reverse: %v", name, got)
		}
		random, again, other := run(2, 3), run(2, 3), run(2, 4)
		if !slices.Equal(random, again) {
			t.Errorf("%s: the same seed gives two orders", name)
		}
		if slices.Equal(random, other) || slices.Equal(random, forward) || slices.Equal(random, reverse) {
			t.Errorf("%s: another seed gives no other order", name)
		}
		if slices.Sort(random); !slices.Equal(random, forward) {
			t.Errorf("%s: not every thread ran once: %v", name, random)
		}
	}
	for schedule := range 4 {
		for block, times := range order(t, p, call{schedule: schedule, seed: 9, dims: []int64{3}}, 200) {
			if times != 1 {
				t.Errorf("schedule %d: block %d ran %d times", schedule, block, times)
			}
		}
	}
}

func TestUndefinedMemoryHoldsThePoison(t *testing.T) {
	t.Parallel()
	p := loaded(t, "schedule.cpp", false)
	for _, poison := range []byte{0x00, 0xff, 0x5a} {
		out := newBuffer(t, "out", true, make([]byte, 8))
		p.mapBuffers(out)
		if r := p.call(call{poison: poison, dims: []int64{4}}); r.kind != replyOK {
			t.Fatal(r.lines)
		}
		data := out.data(t)
		for i, where := range map[int]string{0: "static shared", 1: "dynamic shared", 2: "a lane that takes no part", 4: "cudaMalloc"} {
			if data[i] != poison {
				t.Errorf("%s holds %02x, want %02x", where, data[i], poison)
			}
		}
	}
}

func TestOutputOfTheCandidateIsPassedOn(t *testing.T) {
	t.Parallel()
	p := loaded(t, "schedule.cpp", false)
	p.mapBuffers(newBuffer(t, "out", true, make([]byte, 8)))
	if r := p.call(call{dims: []int64{5}}); r.kind != replyOK {
		t.Fatal(r.lines)
	}
	p.send(4, "")
	p.cmd.Wait()
	if got := p.output.String(); got != "printed by the candidate\n" {
		t.Errorf("output %q", got)
	}
	if !p.cmd.ProcessState.Success() {
		t.Errorf("exit: %v", p.cmd.ProcessState)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, text string) string {
		path := filepath.Join(t.TempDir(), "object.so")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := []struct {
		name    string
		request func(t *testing.T, p *process) reply
		message string
	}{
		{"no such object", func(t *testing.T, p *process) reply { return p.load("/no/such/object.so") }, "/no/such/object.so"},
		{"no object at all", func(t *testing.T, p *process) reply { return p.load(file(t, "not an object")) }, "object.so"},
		{"call before load", func(t *testing.T, p *process) reply { return p.call(call{}) }, "no object has been loaded"},
		{"buffer without descriptor", func(t *testing.T, p *process) reply {
			p.send(2, "buffer\tx\t100\tr\n")
			return p.receive()
		}, "no descriptor came for buffer x"},
		{"file too small", func(t *testing.T, p *process) reply {
			b := newBuffer(t, "x", false, make([]byte, 10))
			b.bytes = 1 << 30
			return p.mapBuffers(b)
		}, "buffer x: its file is too small"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := c.request(t, start(t))
			if r.kind != replyFault || r.text("kind") != "load" || !strings.Contains(r.text("message"), c.message) {
				t.Errorf("got %v", r.lines)
			}
		})
	}
}

func TestEndsWhenTheJudgeGoes(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.conn.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

func TestRefusesToStartWithoutTheJudge(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(prepared(t).Emulator).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "descriptor 3") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestBuffersMoveAndKeepTheirGuards(t *testing.T) {
	t.Parallel()
	p := loaded(t, "add.cpp", false)
	for _, n := range []int{1, 63, 64, 65, 1023, 1024, 4096, 5000} {
		x := make([]float32, n)
		for i := range x {
			x[i] = 1
		}
		out := newBuffer(t, "c", true, make([]byte, 4*n))
		p.mapBuffers(newBuffer(t, "a", false, floats(x...)), newBuffer(t, "b", false, floats(x...)), out)
		if r := p.call(call{dims: []int64{int64(n)}}); r.kind != replyOK {
			t.Fatalf("%d elements: %v", n, r.lines)
		}
		info, err := out.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		whole := make([]byte, info.Size())
		if _, err := out.file.ReadAt(whole, 0); err != nil {
			t.Fatal(err)
		}
		for i, v := range whole {
			inside := int64(i) >= out.off && int64(i) < out.off+int64(out.bytes)
			if !inside && v != 0 {
				t.Fatalf("%d elements: byte %d outside the data changed", n, i)
			}
		}
		if got := asFloats(out.data(t)); got[0] != 2 || got[n-1] != 2 {
			t.Errorf("%d elements: got %v ... %v", n, got[0], got[n-1])
		}
	}
}
