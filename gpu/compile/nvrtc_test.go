package compile

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"testing"
)

// pythonNVRTC is a real NVRTC behind a Python process that lives as long as the
// tests do.
type pythonNVRTC struct {
	mu       sync.Mutex
	in       io.Writer
	out      *bufio.Reader
	version  string
	includes []string
	compiles int
}

var startNVRTC = sync.OnceValues(func() (*pythonNVRTC, error) {
	cmd := exec.Command("python3", "testdata/nvrtc.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &pythonNVRTC{in: in, out: bufio.NewReader(out)}
	var hello struct {
		Error, Version string
		Includes       []string
	}
	if err := n.read(&hello); err != nil {
		return nil, err
	}
	if hello.Error != "" {
		return nil, errors.New(hello.Error)
	}
	n.version, n.includes = hello.Version, hello.Includes
	return n, nil
})

// newNVRTC skips a test where there is no NVRTC.
func newNVRTC(t testing.TB) (*pythonNVRTC, DeviceTarget) {
	t.Helper()
	n, err := startNVRTC()
	if err != nil {
		t.Skipf("NVRTC is not available: %v", err)
	}
	return n, DeviceTarget{Arch: "sm_90", Includes: n.includes}
}

func (n *pythonNVRTC) read(v any) error {
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func (n *pythonNVRTC) Version() string { return n.version }

func (n *pythonNVRTC) Compile(_ context.Context, source, name string, options, expressions []string) (
	[]byte, map[string]string, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.compiles++
	if expressions == nil {
		expressions = []string{}
	}
	ask := map[string]any{"source": source, "name": name, "options": options, "expressions": expressions}
	raw, err := json.Marshal(ask)
	if err != nil {
		return nil, nil, "", err
	}
	if _, err := n.in.Write(append(raw, '\n')); err != nil {
		return nil, nil, "", err
	}
	var answer struct {
		Log, Cubin string
		Lowered    map[string]string
	}
	if err := n.read(&answer); err != nil {
		return nil, nil, "", err
	}
	object, err := hex.DecodeString(answer.Cubin)
	return object, answer.Lowered, answer.Log, err
}
