package emulate

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// lineOf finds the marker "at: name" in a unit of testdata.
func lineOf(t testing.TB, unit, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", unit))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(strings.TrimSpace(line), "// at: "+name) {
			return strconv.Itoa(i + 1)
		}
	}
	t.Fatalf("%s has no line marked %q", unit, name)
	return ""
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const plain, checked, both = 1, 2, 3
	cases := []struct {
		name    string
		number  int64
		builds  int
		kind    string
		message string // a part of it
		block   string
		thread  string
	}{
		{"read_beyond", 1, checked, "out_of_bounds", "read element 1000 of x, which has 1000 elements of 4 bytes", "3 0 0", "232 0 0"},
		{"write_beyond", 2, checked, "out_of_bounds", "wrote element 1000 of y", "3 0 0", "232 0 0"},
		{"write_before", 3, checked, "out_of_bounds", "wrote element -1 of y", "0 0 0", "0 0 0"},
		{"atomic_beyond", 4, checked, "out_of_bounds", "wrote element 1000 of y", "0 0 0", "0 0 0"},
		{"far_beyond", 5, both, "illegal_address", "", "0 0 0", "0 0 0"},
		{"null_read", 6, both, "illegal_address", "null pointer", "0 0 0", "0 0 0"},
		{"uses_host", 7, checked, "illegal_address", "memory of the host", "0 0 0", "0 0 0"},
		{"copies_beyond", 8, checked, "out_of_bounds", "4004 bytes at byte 0 of y", "0 0 0", "0 0 0"},
		{"shared_beyond", 9, checked, "out_of_bounds", "wrote element 32 of shared tile, which has 32 elements", "0 0 0", "32 0 0"},
		{"shared_beyond", 9, plain, "out_of_bounds", "byte 128 of shared tile, which has 128 bytes", "0 0 0", "32 0 0"},
		{"dynamic_beyond", 10, checked, "out_of_bounds", "wrote element 32 of dynamic shared memory", "0 0 0", "32 0 0"},
		{"dynamic_beyond", 10, plain, "out_of_bounds", "byte 128 of dynamic shared memory", "0 0 0", "32 0 0"},
		{"divergent_lines", 11, both, "barrier_divergence", "thread (40,0,0) of the same block waits at the one in line 43", "0 0 0", "0 0 0"},
		{"barrier_and_warp", 13, both, "deadlock", "for lane 3, which waits in __syncthreads", "0 0 0", "0 0 0"},
		{"mask_without_self", 14, both, "barrier_divergence", "leaves out its own lane 1", "0 0 0", "1 0 0"},
		{"traps", 15, both, "abort", "__trap", "0 0 0", "0 0 0"},
		{"asserts", 16, both, "abort", "assertion failed: i != int(threadIdx.x)", "0 0 0", "5 0 0"},
		{"", 17, both, "out_of_memory", "bytes of stack", "0 0 0", "0 0 0"},
		{"", 18, both, "abort", "from a kernel", "0 0 0", "0 0 0"},
		{"", 19, both, "abort", "solve threw an exception: from solve", "", ""},
		{"divides", 20, both, "signal", "divided by zero", "0 0 0", "0 0 0"},
		{"too_many_threads", 21, both, "cuda_error", "the launch of empty did not happen (cudaErrorInvalidConfiguration)", "", ""},
		{"copy_error", 22, both, "cuda_error", "cudaMemcpy of 5000 bytes to beyond the end", "", ""},
		{"malloc_error", 23, both, "out_of_memory", "cudaMalloc of 107374182400 bytes failed", "", ""},
		{"host_reads_device", 24, checked, "illegal_address", "host code read device memory (x)", "", ""},
		{"write_before", 25, both, "illegal_address", "after it was freed in line", "0 0 0", "0 0 0"},
		{"", 26, both, "exit", "solve called exit", "", ""},
		{"", 28, both, "abort", "abort", "", ""},
		{"big_static", 29, both, "cuda_error", "80000 bytes of static shared memory", "0 0 0", "0 0 0"},
		{"", 30, both, "out_of_memory", "ran out of memory", "", ""},
	}
	for _, c := range cases {
		if c.kind == "signal" && runtime.GOARCH != "amd64" {
			continue // only there does an integer division trap
		}
		builds(t, func(t *testing.T, isChecked bool) {
			if build := map[bool]int{false: plain, true: checked}[isChecked]; c.builds&build == 0 {
				return
			}
			r := runFault(t, c.number, isChecked)
			if r.kind != replyFault || r.text("kind") != c.kind || !strings.Contains(r.text("message"), c.message) {
				t.Fatalf("case %d: got %v, want %s: %s", c.number, r.lines, c.kind, c.message)
			}
			if c.name != "" && r.text("line") != lineOf(t, "faults.cpp", c.name) && runtime.GOOS == "linux" {
				t.Errorf("case %d, %s: line %q, want %s", c.number, c.name, r.text("line"), lineOf(t, "faults.cpp", c.name))
			}
			if r.text("block") != c.block || r.text("thread") != c.thread {
				t.Errorf("case %d: block %q thread %q, want %q %q", c.number, r.text("block"), r.text("thread"), c.block, c.thread)
			}
		})
	}
}

func runFault(t *testing.T, number int64, checked bool) reply {
	t.Helper()
	p := loaded(t, "faults.cpp", checked, "memory=4294967296", "file=1048576")
	p.mapBuffers(newBuffer(t, "x", false, make([]byte, 4000)), newBuffer(t, "y", true, make([]byte, 4000)))
	return p.call(call{flags: flags(checked), dims: []int64{number}})
}

func TestExitWithoutHandlersClosesTheSocket(t *testing.T) {
	t.Parallel()
	if r := runFault(t, 27, false); r.kind != 0 {
		t.Errorf("got %v", r.lines)
	}
}

// system blocks signals while it makes a process, so the kernel ends the caller at once.
func TestForbiddenCallWithSignalsBlocked(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no seccomp on this system")
	}
	p := loaded(t, "faults.cpp", false)
	p.mapBuffers(newBuffer(t, "x", false, make([]byte, 4000)), newBuffer(t, "y", true, make([]byte, 4000)))
	if r := p.call(call{dims: []int64{32}}); r.kind == replyFault && r.text("kind") == "forbidden" {
		return
	}
	p.cmd.Wait()
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGSYS {
		t.Errorf("ended with %v", p.cmd.ProcessState)
	}
}

func TestContainment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no containment on this system")
	}
	hello := start(t).hello
	on := func(layer string) bool {
		return slices.ContainsFunc(hello.lines, func(l []string) bool { return slices.Equal(l, []string{"layer", layer, "on"}) })
	}
	cases := []struct {
		name    string
		number  int64
		layer   string
		kind    string
		message string
	}{
		{"fork", 31, "seccomp", "forbidden", "is not allowed"},
		{"exec", 33, "seccomp", "forbidden", "execve is not allowed"},
		{"socket", 34, "seccomp", "forbidden", "socket is not allowed"},
		{"kill the parent", 35, "seccomp", "forbidden", "kill (of another process) is not allowed"},
		{"write elsewhere", 36, "landlock", "abort", ""},
		{"read elsewhere", 37, "landlock", "abort", ""},
		{"a large file", 38, "rlimits", "forbidden", "a file grew beyond its limit"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !on(c.layer) {
				t.Skipf("%s is off here", c.layer)
			}
			r := runFault(t, c.number, false)
			if r.kind != replyFault || r.text("kind") != c.kind || !strings.Contains(r.text("message"), c.message) {
				t.Errorf("got %v, want %s: %s", r.lines, c.kind, c.message)
			}
		})
	}
}
