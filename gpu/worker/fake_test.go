package worker

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"example.com/hone/gpu/process"
)

// The test binary is also a worker: started with a worker's command line, it
// speaks the protocol and behaves as the object it is told to load says.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && strings.HasPrefix(os.Args[1], "file=") {
		runFake()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Types of messages from the worker.
const (
	typeHello uint32 = iota + 1
	typeOK
	typeFault
)

const headerBytes = 8

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

func runFake() {
	file := os.NewFile(3, "socket")
	conn, err := net.FileConn(file)
	if err != nil {
		panic(err)
	}
	_ = file.Close()
	f := &fake{conn: conn.(*net.UnixConn)}
	f.send(typeHello, "protocol\t1", "layer\tseccomp\toff: a test")
	for f.serve() {
		continue
	}
}

func (f *fake) send(kind uint32, lines ...string) {
	body := strings.Join(append(lines, ""), "\n")
	message := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	message = binary.LittleEndian.AppendUint32(message, kind)
	_, _ = f.conn.Write(append(message, body...))
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
	lines, err := process.SplitBody(string(body))
	if err != nil {
		return false
	}
	switch process.RequestType(binary.LittleEndian.Uint32(header[4:])) {
	case process.Load:
		f.object = lines[0][1]
		f.send(typeOK)
	case process.Map:
		f.keep(lines, oob[:oobn])
		f.send(typeOK)
	case process.Call:
		f.call(lines)
	case process.Exit:
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
	case "fault":
		f.send(typeFault, "kind\t"+argument, "message\tread x[4096] of 4096", "kernel\tk", "line\t12", "block\t3\t0\t0", "thread\t31\t0\t0")
	case "verdict":
		f.send(typeOK, "correct")
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
