package process

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
)

// The test binary is also a program: started with "fake=" and a way to greet, it
// speaks the protocol and misbehaves as the request that it gets says.

const (
	greetsWell  = "well"
	greetsNever = "never"
	greetsOld   = "old"
	greetsNoise = "noise"
	greetsFault = "fault"
	greetsOK    = "ok"
	dies        = "dies"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "fake=") {
		runFake(strings.TrimPrefix(os.Args[1], "fake="))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type fake struct{ conn net.Conn }

func runFake(greeting string) {
	file := os.NewFile(3, "socket")
	conn, err := net.FileConn(file)
	if err != nil {
		panic(err)
	}
	_ = file.Close()
	f := &fake{conn: conn}
	switch greeting {
	case greetsNever:
		time.Sleep(time.Hour)
	case greetsOld:
		f.send(typeHello, "protocol\t0")
	case greetsNoise:
		_, _ = f.conn.Write(bytes.Repeat([]byte{0xAB}, 64))
	case greetsFault:
		f.send(typeFault, "kind\tload", "message\tno descriptor 3")
	case greetsOK:
		f.send(typeOK)
	case dies:
		fmt.Println("cannot find its library")
		os.Exit(3)
	default:
		f.send(typeHello, "protocol\t1", "layer\tseccomp\toff: a test")
	}
	for f.serve() {
		continue
	}
}

func (f *fake) send(kind uint32, lines ...string) {
	_, _ = f.conn.Write(encoded(kind, lines...))
}

func encoded(kind uint32, lines ...string) []byte {
	return frame(kind, strings.Join(append(lines, ""), "\n"))
}

// serve answers one message; false when the judge has gone or asked to exit.
func (f *fake) serve() bool {
	header := make([]byte, headerBytes)
	if n, err := f.conn.Read(header); err != nil || n != headerBytes {
		return false
	}
	body := make([]byte, binary.LittleEndian.Uint32(header))
	if len(body) > 0 {
		if _, err := f.conn.Read(body); err != nil {
			return false
		}
	}
	if RequestType(binary.LittleEndian.Uint32(header[4:])) == Exit {
		return false
	}
	f.act(strings.TrimSpace(string(body)))
	return true
}

func (f *fake) act(request string) {
	switch name, argument, _ := strings.Cut(request, " "); name {
	case "echo":
		f.send(typeOK, "echo\t"+argument)
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
		f.send(typeFault, "kind\tbad_luck", "message\tread x[4096] of 4096", "kernel\tk", "line\t12", "block\t3\t0\t0", "thread\t31\t0\t0")
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
