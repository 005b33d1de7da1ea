package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/hone/gpu"
)

// cubinFile is the device part's object.
const cubinFile = "kernel.cubin"

// DeviceCompiler is NVRTC. A text that does not compile has a log and no cubin;
// an error means that the compiler could not be asked.
type DeviceCompiler interface {
	// Version names the compiler's release: "13.0".
	Version() string
	// Compile compiles a text, known in messages by a name, to a cubin, and tells
	// the symbol of each name expression.
	Compile(ctx context.Context, source, name string, options, expressions []string) (
		cubin []byte, lowered map[string]string, log string, err error)
}

// DeviceTarget is what a text is built for.
type DeviceTarget struct {
	Arch     string   // "sm_90"
	Includes []string // folders with the CUDA toolkit's headers, in order
	Options  []string // more options of NVRTC
}

// deviceOptions lists NVRTC's options. Functions without a qualifier are the
// constexpr ones, which the device may use too; names that only the host part
// uses are no mistake.
func deviceOptions(version string, target DeviceTarget, defines []string) []string {
	options := []string{
		"--gpu-architecture=" + target.Arch, "-std=c++17", "-default-device",
		"--diag-suppress=177", "-Xptxas=-v",
	}
	if atLeast(version, 12, 9) {
		options = append(options, "--no-cache") // its answers lack ptxas's figures
	}
	for _, folder := range target.Includes {
		options = append(options, "-I"+folder)
	}
	for _, d := range defines {
		options = append(options, "-D"+d)
	}
	return append(options, target.Options...)
}

// atLeast compares a version such as "12.9".
func atLeast(version string, major, minor int) bool {
	var m, n int
	if _, err := fmt.Sscanf(version, "%d.%d", &m, &n); err != nil {
		return false
	}
	return m > major || m == major && n >= minor
}

// deviceUnit is the whole text that NVRTC sees.
func deviceUnit(includes []string, code string) string {
	var b strings.Builder
	for _, name := range includes {
		fmt.Fprintf(&b, "#include <%s>\n", name)
	}
	fmt.Fprintf(&b, "#line 1 %q\n%s\n#line 1 %q\n%s", preludeHeader, headerText(preludeHeader), userFile, code)
	return b.String()
}

// withHeaders adds the headers that are not there yet, behind the others.
func withHeaders(includes, headers []string) []string {
	all := slices.Clone(includes)
	for _, name := range headers {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// deviceJob builds the device part with NVRTC, with the given name expressions.
func (c *Compiler) deviceJob(b deviceBuild, expressions []string) partJob {
	options := deviceOptions(b.nvrtc.Version(), b.target, b.source.Defines)
	unit := deviceUnit(withHeaders(b.parts.includes, b.source.headers()), strings.TrimRight(b.parts.device.text, " \n"))
	headers := sha256.New()
	c.headers.write(headers, b.target.Includes, includedNames(unit))
	inputs := append([]string{"device", b.nvrtc.Version(), hex.EncodeToString(headers.Sum(nil))}, options...)
	return partJob{
		name: b.source.Name, product: cubinFile, unit: unit,
		inputs: append(inputs, expressions...),
		lines:  slices.ContainsFunc(options, keepsLines),
		build: func(ctx context.Context, folder string) (partResult, error) {
			return b.compile(ctx, folder, unit, options, expressions)
		},
	}
}

// keepsLines reports whether an option puts line numbers into the cubin.
func keepsLines(option string) bool {
	switch option {
	case "-lineinfo", "--generate-line-info", "-G", "--device-debug":
		return true
	}
	return false
}

func (b deviceBuild) compile(ctx context.Context, folder, unit string, options, expressions []string) (
	partResult, error) {
	limited, cancel := context.WithTimeout(ctx, b.source.limit())
	defer cancel()
	object, lowered, log, err := b.nvrtc.Compile(limited, unit, userFile, options, expressions)
	switch {
	case ctx.Err() != nil:
		return partResult{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return b.tooSlow(), nil
	case err != nil:
		return partResult{}, err
	}
	messages := parseCUDA(log)
	if err := refusal(messages); err != nil {
		return partResult{}, err
	}
	e := cudaExplainer{tool: "nvrtc", file: b.file, code: b.parts.device}
	r := partResult{ok: len(object) > 0, final: true}
	r.entry = cacheEntry{
		Diagnostics: e.diagnostics(messages, log, r.ok), Lowered: lowered, log: bounded(log),
	}
	if !r.ok {
		return r, nil
	}
	return r, os.WriteFile(filepath.Join(folder, cubinFile), object, 0o600)
}

// refusal is what NVRTC says of itself or of its options, not of the text.
func refusal(messages []message) error {
	for _, m := range messages {
		if m.file == "nvrtc" && m.line == 0 && m.severity == "error" {
			return fmt.Errorf("NVRTC did not compile: %s", m.text)
		}
	}
	return nil
}

func (b deviceBuild) tooSlow() partResult {
	return partResult{entry: cacheEntry{Diagnostics: []gpu.Diagnostic{{
		Tool: "nvrtc", File: userFile, Severity: "error",
		Message: fmt.Sprintf("compiling took longer than %v and was stopped", b.source.limit()),
	}}}}
}

// bounded is the first MB of a log.
func bounded(log string) []byte {
	return []byte(log[:min(len(log), 1<<20)])
}
