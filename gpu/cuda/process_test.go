package cuda

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// childVariable makes this test binary play another process of a test.
const childVariable = "HONE_CUDA_TEST_CHILD"

func TestMain(m *testing.M) {
	play := strings.Fields(os.Getenv(childVariable))
	if len(play) == 0 {
		os.Exit(m.Run())
	}
	if err := playChild(play); err != nil {
		fmt.Println("child:", err)
		os.Exit(1)
	}
}

// child runs this binary as another process and is what it printed.
func child(t *testing.T, play string, files ...*os.File) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+play)
	cmd.ExtraFiles = files
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func playChild(play []string) error {
	driver, err := Open(Options{})
	if err != nil {
		return err
	}
	dev, err := driver.Device(0)
	if err != nil {
		return err
	}
	return dev.Do(context.Background(), func(c *Context) error {
		switch play[0] {
		case "fault":
			return faultInChild(c)
		case "look":
			return lookInChild(c)
		}
		return importInChild(c, play[1:])
	})
}

// lookInChild tells which other processes are on the device.
func lookInChild(c *Context) error {
	m, err := OpenMonitor(Options{}, c.device.facts.BusID)
	if err != nil {
		return err
	}
	for _, p := range m.Read().Others {
		memory := "unknown"
		if p.Memory != nil {
			memory = strconv.FormatUint(*p.Memory, 10)
		}
		fmt.Printf("process %d holds %s bytes\n", p.PID, memory)
	}
	return nil
}

// importInChild reads the word at the start of shared memory and adds one to it.
func importInChild(c *Context, args []string) error {
	size, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	access, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s, err := c.Import(os.NewFile(3, "device memory"), size, Access(access))
	if err != nil {
		return err
	}
	word := make([]byte, 4)
	if err := c.Download(word, s.Address); err != nil {
		return err
	}
	was := binary.LittleEndian.Uint32(word)
	fmt.Println("found", was)
	if err := store(c, s.Address, was+1); err != nil {
		return err
	}
	return c.FreeShared(s)
}

const storePTX = `.version 7.0
.target sm_52
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value) {
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
`

// store has a kernel store a word.
func store(c *Context, to Pointer, value uint32) error {
	m, err := c.Load([]byte(storePTX))
	if err != nil {
		return err
	}
	f, err := c.Function(m, "store")
	if err != nil {
		return err
	}
	one := Dim{1, 1, 1}
	if err := c.Launch(f, Launch{Grid: one, Block: one}, to, value); err != nil {
		return err
	}
	return c.Synchronize()
}

// faultInChild stores where nothing is, and tells what it meets from then on.
func faultInChild(c *Context) error {
	err := store(c, 0x10, 1)
	fmt.Printf("sticky %t: %v\n", Sticky(err), err)
	_, later := c.Alloc(1)
	fmt.Printf("later sticky %t: %v\n", Sticky(later), later)
	return nil
}

func TestDeviceSharesMemory(t *testing.T) {
	for _, tt := range []struct {
		name   string
		access Access
	}{{"for writing", ReadWrite}, {"for reading", ReadOnly}} {
		t.Run(tt.name, func(t *testing.T) {
			onDevice(t, func(t *testing.T, c *Context) {
				if !c.device.facts.ShareMemory {
					t.Log("this device shares no memory by file")
					return
				}
				s := try[Shared](t)(c.AllocShared(100))
				must(t, c.Fill32(s.Address, 41, 1, 0))
				must(t, c.Synchronize())
				file := try[*os.File](t)(c.Export(s))
				out, err := child(t, fmt.Sprintf("import %d %d", s.Size, tt.access), file)
				must(t, file.Close())
				word := make([]byte, 4)
				must(t, c.Download(word, s.Address))
				now := binary.LittleEndian.Uint32(word)
				t.Logf("%d bytes; the child printed %q (%v), and left %d", s.Size, out, err, now)
				if !strings.Contains(out, "found 41") {
					t.Errorf("the child printed %q", out)
				}
				if tt.access == ReadWrite && (err != nil || now != 42) {
					t.Errorf("the child left %d, %v", now, err)
				}
				if tt.access == ReadOnly && (err == nil || now != 41) {
					t.Errorf("the child stored through a mapping for reading: it left %d, %v", now, err)
				}
				must(t, c.FreeShared(s))
			})
		})
	}
}

func TestDeviceNamesOtherProcesses(t *testing.T) {
	onDevice(t, func(t *testing.T, _ *Context) {
		out, err := child(t, "look")
		t.Logf("this is process %d; the child printed %q", os.Getpid(), out)
		if err != nil {
			t.Errorf("the child ended with %v", err)
		}
		if out != "" && !strings.Contains(out, fmt.Sprintf("process %d holds", os.Getpid())) {
			t.Log("the numbers are not those of this container")
		}
	})
}

func TestDeviceReportsAFault(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		out, err := child(t, "fault")
		t.Logf("the child printed\n%s", out)
		if err != nil {
			t.Errorf("the child ended with %v", err)
		}
		for _, want := range []string{"sticky true: cuCtxSynchronize:", "(CUDA_ERROR_ILLEGAL_ADDRESS, 700)", "later sticky true: "} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing", want)
			}
		}
		must(t, c.Synchronize()) // this process goes on
	})
}
