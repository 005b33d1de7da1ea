package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/roofline"
)

// selfTestLimit is how long a GPU may take to measure itself.
const selfTestLimit = 2 * time.Minute

// gpuBench is what a GPU shows of itself.
type gpuBench struct {
	SelfTest roofline.SelfTest `json:"self_test"`
	Peaks    roofline.Peaks    `json:"peaks"`
}

// benchGPU has a process of its own measure the GPU: it may crash or hang.
func (a *app) benchGPU(ctx context.Context) (*gpuBench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own executable: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, selfTestLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "selftest", "--device", a.config.Device, "--cache", a.config.Cache)
	cmd.Env = judgeEnvironment(a.environment)
	cmd.WaitDelay = time.Second
	return readSelfTest(cmd.Output())
}

// readSelfTest is what the process said, or how it ended.
func readSelfTest(out []byte, err error) (*gpuBench, error) {
	bench := new(gpuBench)
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ended && len(exit.Stderr) > 0:
		return nil, fmt.Errorf("measure the GPU: %s", strings.TrimSpace(string(exit.Stderr)))
	case err == nil:
		err = json.Unmarshal(out, bench)
	}
	if err != nil {
		return nil, fmt.Errorf("measure the GPU: %w", err)
	}
	return bench, nil
}

// selfTestCommand is the process that benchGPU starts.
func (a *app) selfTestCommand() *cobra.Command {
	return hidden("selftest", "Measure a GPU, for the hone that started this process", func(ctx context.Context) error {
		bench, err := measureGPU(ctx, a.flags.device, filepath.Join(a.flags.cache, "device"), a.libraries())
		if err != nil {
			return err
		}
		return json.NewEncoder(a.out).Encode(bench)
	})
}

// measureGPU tests a device and has its peaks, which the judge measures once and
// keeps in a folder.
func measureGPU(ctx context.Context, number, folder string, o cuda.Options) (bench gpuBench, err error) {
	driver, err := cuda.Open(o)
	if err != nil {
		return bench, err
	}
	o.Major = driver.Version().Major
	nvrtc, err := cuda.OpenCompiler(o)
	if err != nil {
		return bench, err
	}
	index, err := strconv.Atoi(number)
	if err != nil {
		index = 0 // the first, where any will do
	}
	dev, err := driver.Device(index)
	if err != nil {
		return bench, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	version := ""
	monitor, err := cuda.OpenMonitor(o, dev.Facts().BusID)
	if err == nil {
		version = monitor.DriverVersion()
	}
	if bench.SelfTest, err = roofline.Test(ctx, dev, nvrtc, monitor); err != nil {
		return bench, err
	}
	bench.Peaks, _, err = roofline.Load(ctx, dev, nvrtc, folder, version)
	if _, unkept := errors.AsType[*roofline.KeepError](err); unkept {
		err = nil
	}
	return bench, err
}

// lines are the figures in words.
func (b *gpuBench) lines() []roofline.Line {
	lines := b.SelfTest.Lines()
	for _, l := range b.Peaks.Lines() {
		lines = append(lines, roofline.Line{Name: "peak " + l.Name, Value: l.Value})
	}
	return lines
}
