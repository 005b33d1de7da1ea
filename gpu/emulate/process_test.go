package emulate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// toolchain is prepared once for all tests.
var toolchain = sync.OnceValues(func() (Toolchain, error) {
	dir, err := os.MkdirTemp("", "hone-emulate-*")
	if err != nil {
		return Toolchain{}, err
	}
	return Prepare(context.Background(), dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if tc, err := toolchain(); err == nil {
		os.RemoveAll(filepath.Dir(filepath.Dir(tc.Emulator)))
	}
	os.Exit(code)
}

func prepared(t testing.TB) Toolchain {
	t.Helper()
	tc, err := toolchain()
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

// objects are the compiled units of testdata, by name and build.
var objects sync.Map

// object compiles a unit of testdata, written as package compile would, plain or checked.
func object(t testing.TB, unit string, checked bool) string {
	t.Helper()
	tc := prepared(t)
	type key struct {
		unit    string
		checked bool
	}
	compile := sync.OnceValues(func() (string, error) { return compileUnit(tc, unit, checked) })
	once, _ := objects.LoadOrStore(key{unit, checked}, compile)
	path, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func compileUnit(tc Toolchain, unit string, checked bool) (string, error) {
	name := strings.TrimSuffix(unit, ".cpp") + map[bool]string{false: "-plain", true: "-checked"}[checked]
	base := filepath.Join(filepath.Dir(tc.Emulator), name)
	text, err := os.ReadFile(filepath.Join("testdata", unit))
	if err != nil {
		return "", err
	}
	source := "#include \"hone_emulate.h\"\n#line 1 \"kernel.cu\"\n" + string(text)
	if err := os.WriteFile(base+".cpp", []byte(source), 0o644); err != nil {
		return "", err
	}
	compile := []string{"-std=c++17", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I", tc.Include, "-I", "testdata", "-g1", "-fstack-clash-protection"}
	if checked {
		compile = append(compile, "-O1", "-fsanitize=thread")
	} else {
		compile = append(compile, "-O2")
	}
	compile = append(compile, "-c", base+".cpp", "-o", base+".o")
	for _, command := range [][]string{compile, {"-shared", base + ".o", "-o", base + ".so"}} {
		if out, err := exec.Command(tc.GXX, command...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("g++ %v: %w\n%s", command, err, out)
		}
	}
	return base + ".so", nil
}

// process is a running emulator and the judge's end of its socket.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	conn    *net.UnixConn
	scratch string
	output  *strings.Builder
	hello   reply
}

// reply is one message: its type and its lines, each cut into fields.
type reply struct {
	kind  uint32
	lines [][]string
}

const (
	replyHello = 1
	replyOK    = 2
	replyFault = 3
)

// first returns the fields after the name of the first line so named.
func (r reply) first(name string) []string {
	for _, line := range r.lines {
		if line[0] == name {
			return line[1:]
		}
	}
	return nil
}

func (r reply) text(name string) string { return strings.Join(r.first(name), " ") }

func (r reply) findings() []string {
	var all []string
	for _, line := range r.lines {
		if line[0] == "finding" {
			all = append(all, fmt.Sprintf("%s line %s: %s", line[1], line[3], line[4]))
		}
	}
	return all
}

func start(t testing.TB, args ...string) *process {
	t.Helper()
	tc := prepared(t)
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	ours, theirs := os.NewFile(uintptr(pair[0]), "judge"), os.NewFile(uintptr(pair[1]), "worker")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, conn: conn.(*net.UnixConn), scratch: t.TempDir(), output: &strings.Builder{}}
	p.cmd = exec.Command(tc.Emulator, args...)
	p.cmd.Dir = p.scratch
	p.cmd.Env = []string{}
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.ExtraFiles = []*os.File{theirs}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	t.Cleanup(p.stop)
	p.hello = p.receive()
	if p.hello.kind != replyHello {
		t.Fatalf("first message: %+v", p.hello)
	}
	return p
}

func (p *process) stop() {
	p.conn.Close()
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func (p *process) send(kind uint32, body string, files ...*os.File) {
	p.t.Helper()
	header := make([]byte, 8)
	binary.LittleEndian.PutUint32(header, uint32(len(body)))
	binary.LittleEndian.PutUint32(header[4:], kind)
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = syscall.UnixRights(fds...)
	}
	if _, _, err := p.conn.WriteMsgUnix(header, rights, nil); err != nil {
		p.t.Fatal(err)
	}
	if body == "" {
		return // the process may end upon the header alone
	}
	if _, err := p.conn.Write([]byte(body)); err != nil {
		p.t.Fatal(err)
	}
}

// receive returns the next message; a closed socket gives a reply of kind 0.
func (p *process) receive() reply {
	p.t.Helper()
	p.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	header := make([]byte, 8)
	if _, err := io.ReadFull(p.conn, header); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.t.Fatalf("the emulator does not answer; it printed %q", p.output)
		}
		return reply{}
	}
	body := make([]byte, binary.LittleEndian.Uint32(header))
	if _, err := io.ReadFull(p.conn, body); err != nil {
		p.t.Fatal(err)
	}
	r := reply{kind: binary.LittleEndian.Uint32(header[4:])}
	for line := range strings.Lines(string(body)) {
		r.lines = append(r.lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return r
}

func (p *process) load(object string) reply {
	p.t.Helper()
	p.send(1, "path\t"+object+"\n")
	return p.receive()
}

// buffer is a tensor in a file, laid out as the protocol says.
type buffer struct {
	name  string
	write bool
	file  *os.File
	off   int64
	bytes int
}

func newBuffer(t testing.TB, name string, write bool, data []byte) *buffer {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	page := os.Getpagesize()
	size := (len(data)+page-1)/page*page + page
	b := &buffer{name: name, write: write, file: f, off: int64((size - len(data)) / 256 * 256), bytes: len(data)}
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(data, b.off); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *buffer) data(t testing.TB) []byte {
	t.Helper()
	data := make([]byte, b.bytes)
	if _, err := b.file.ReadAt(data, b.off); err != nil {
		t.Fatal(err)
	}
	return data
}

func (p *process) mapBuffers(buffers ...*buffer) reply {
	p.t.Helper()
	var body strings.Builder
	var files []*os.File
	for _, b := range buffers {
		access := "r"
		if b.write {
			access = "w"
		}
		fmt.Fprintf(&body, "buffer\t%s\t%d\t%s\n", b.name, b.bytes, access)
		files = append(files, b.file)
	}
	p.send(2, body.String(), files...)
	return p.receive()
}

// call is what a test asks of the process beyond the defaults.
type call struct {
	flags, schedule, repeat int
	seed                    uint64
	poison                  byte
	dims                    []int64
}

func (p *process) call(c call) reply {
	p.t.Helper()
	var body strings.Builder
	fmt.Fprintf(&body, "flags\t%d\nschedule\t%d\nseed\t%d\nrepeat\t%d\npoison\t%02x\n", c.flags, c.schedule, c.seed, max(c.repeat, 1), c.poison)
	for _, d := range c.dims {
		body.WriteString("dim\t" + strconv.FormatInt(d, 10) + "\n")
	}
	p.send(3, body.String())
	return p.receive()
}
