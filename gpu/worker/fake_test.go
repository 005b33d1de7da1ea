package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is also a worker: started with a worker's command line, it
// speaks the protocol and misbehaves as the object it is told to load says.
// How it starts is chosen by the memory limit.

const (
	startsWell = 1 << 40
	startsMute = iota
	startsOld
	startsGarbled
	startsWithFault
	startsDying
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && strings.HasPrefix(os.Args[1], "file=") {
		runFake(strings.TrimPrefix(os.Args[2], "memory="))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type fake struct {
	conn    *net.UnixConn
	object  string
	buffers []fakeBuffer
}

type fakeBuffer struct {
	file     *os.File
	bytes    int64
	writable bool
}

func runFake(memory string) {
	file := os.NewFile(3, "socket")
	conn, err := net.FileConn(file)
	if err != nil {
		panic(err)
	}
	_ = file.Close()
	f := &fake{conn: conn.(*net.UnixConn)}
	switch mode, _ := strconv.Atoi(memory); mode {
	case startsMute:
		time.Sleep(time.Hour)
	case startsOld:
		f.send(typeHello, "protocol\t0")
	case startsGarbled:
		_, _ = f.conn.Write(bytes.Repeat([]byte{0xAB}, 64))
	case startsWithFault:
		f.send(typeFault, "kind\tload", "message\tno descriptor 3")
	case startsDying:
		fmt.Println("emulator: cannot find its library")
		os.Exit(3)
	default:
		f.send(typeHello, "protocol\t1", "layer\tseccomp\toff: a test")
	}
	for f.serve() {
		continue
	}
}

func (f *fake) send(kind uint32, lines ...string) {
	_, _ = f.conn.Write(encode(kind, lines...))
}

// serve answers one message; false when the judge has gone or asked to exit.
func (f *fake) serve() bool {
	header, oob := make([]byte, headerBytes), make([]byte, 512)
	n, oobn, _, _, err := f.conn.ReadMsgUnix(header, oob)
	if err != nil || n != headerBytes {
		return false
	}
	body := make([]byte, binary.LittleEndian.Uint32(header))
	if len(body) > 0 {
		if _, err := f.conn.Read(body); err != nil {
			return false
		}
	}
	lines, err := splitBody(string(body))
	if err != nil {
		return false
	}
	switch binary.LittleEndian.Uint32(header[4:]) {
	case typeLoad:
		f.object = lines[0][1]
		f.send(typeOK)
	case typeMap:
		f.keep(lines, oob[:oobn])
		f.send(typeOK)
	case typeCall:
		f.call(lines)
	case typeExit:
		return false
	}
	return true
}

func (f *fake) keep(lines [][]string, oob []byte) {
	messages, _ := unix.ParseSocketControlMessage(oob)
	fds, _ := unix.ParseUnixRights(&messages[0])
	f.buffers = nil
	for i, line := range lines {
		size, _ := strconv.ParseInt(line[2], 10, 64)
		f.buffers = append(f.buffers, fakeBuffer{os.NewFile(uintptr(fds[i]), line[1]), size, line[3] == "w"})
	}
}

func (f *fake) call(lines [][]string) {
	switch name, argument, _ := strings.Cut(f.object, " "); name {
	case "negate":
		f.negate()
		f.send(typeOK, "wall_ns\t1500", "kernel\tnegate\t1\t2\t1\t1\t64\t1\t1\t128",
			"finding\trace\twarning\t7\tline 7: threads (0,0,0) and (1,0,0)")
	case "echo":
		var words []string
		for _, line := range lines {
			words = append(words, strings.Join(line, "="))
		}
		f.send(typeOK, "finding\techo\twarning\t0\t"+strings.Join(words, " "))
	case "shrink":
		err := unix.Ftruncate(int(f.buffers[0].file.Fd()), 0)
		f.send(typeOK, fmt.Sprintf("finding\tshrink\twarning\t0\t%v", err))
	case "overrun":
		_, _ = f.buffers[0].file.WriteAt([]byte{1, 2, 3}, LayoutOf(f.buffers[0].bytes).Offset-3)
		f.send(typeOK)
	case "environment":
		folder, _ := os.Getwd()
		fmt.Printf("%s\n%s\n", folder, strings.Join(os.Environ(), "\n"))
		f.send(typeOK)
	case "print":
		n, _ := strconv.Atoi(argument)
		fmt.Print(strings.Repeat("x", n))
		f.send(typeOK)
	case "litter":
		_ = os.MkdirAll(filepath.Join("a", "b"), 0o700)
		_ = os.WriteFile(filepath.Join("a", "b", "c"), []byte("c"), 0o600)
		_ = os.Chmod(filepath.Join("a", "b"), 0)
		f.send(typeOK)
	case "raw":
		text, _ := strconv.Unquote(argument)
		_, _ = f.conn.Write([]byte(text))
	case "fault":
		f.send(typeFault, "kind\tout_of_bounds", "message\tread x[4096] of 4096", "kernel\tk", "line\t12", "block\t3\t0\t0", "thread\t31\t0\t0")
	case "exit":
		code, _ := strconv.Atoi(argument)
		os.Exit(code)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "hang":
		time.Sleep(time.Hour)
	case "hangup":
		_ = f.conn.Close()
		time.Sleep(time.Hour)
	case "leave":
		child := exec.Command("/bin/sleep", "3600")
		_ = child.Start()
		fmt.Println(child.Process.Pid)
		os.Exit(0)
	}
}

func (f *fake) negate() {
	in, out := f.buffers[0], f.buffers[1]
	data := make([]byte, in.bytes)
	_, _ = in.file.ReadAt(data, LayoutOf(in.bytes).Offset)
	for i := range data {
		data[i] = ^data[i]
	}
	_, _ = out.file.WriteAt(data, LayoutOf(out.bytes).Offset)
}
