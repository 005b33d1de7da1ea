package candidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/inline"
)

// maxSources bounds the JSON of one build request.
const maxSources = 4 << 20

// leastLimit is left to an answer that has used its limit up when a build ends: what
// it does then decides, not the moment that the build took.
const leastLimit = 100 * time.Millisecond

// Build makes a module of what an answer passed to load_inline. A text that does not
// compile is a result, not an error.
type Build func(ctx context.Context, r inline.Request) (inline.Built, error)

// part is a piece of a build request.
type part struct {
	Text string `json:"part"`
	More bool   `json:"more"`
}

// asked is a build request as the process sends it.
type asked struct {
	Name      string   `json:"name"`
	CPP       []string `json:"cpp"`
	CUDA      []string `json:"cuda"`
	Functions []string `json:"functions"`
	CFlags    []string `json:"cflags"`
	CUDAFlags []string `json:"cuda_flags"`
	LDFlags   []string `json:"ld_flags"`
	Includes  []string `json:"includes"`
	Line      int      `json:"line"`
	CPPLines  []int    `json:"cpp_lines"`
	CUDALines []int    `json:"cuda_lines"`
}

// reply is an answer to load, call or time: its value, or a part of a build request,
// which is whole with the last one.
type reply[T any] struct {
	value  T
	part   *part
	wanted *inline.Request
}

// converse sends a request and serves the builds that the process asks for until it
// gives its answer. Builds do not count in the limit. Files that travel are closed.
func converse[T any](ctx context.Context, p *Process, limit time.Duration, request process.Request,
	parse func(lines [][]string) (T, error)) (T, *process.Fault, error) {
	left := limit
	for {
		started := time.Now()
		step, fault, err := exchange(ctx, p, left, request, parse)
		closeAll(request.Files)
		if fault != nil && fault.Kind == process.FaultTimeout {
			fault.Message = fmt.Sprintf("did not end within %s", limit)
		}
		if fault != nil || err != nil || step.wanted == nil {
			return step.value, fault, err
		}
		left = max(left-time.Since(started), leastLimit)
		if request, err = p.serve(ctx, *step.wanted); err != nil {
			return step.value, nil, errors.Join(err, p.Kill())
		}
	}
}

// exchange sends a request and collects the parts of a build request, if that is what
// the process answers with.
func exchange[T any](ctx context.Context, p *Process, limit time.Duration, request process.Request,
	parse func(lines [][]string) (T, error)) (reply[T], *process.Fault, error) {
	var text strings.Builder
	for {
		answer, fault, err := process.Exchange(ctx, p.Process, limit, request, func(lines [][]string) (reply[T], error) {
			return parseReply(lines, &text, parse)
		})
		if fault != nil || err != nil || answer.part == nil || !answer.part.More {
			return answer, fault, err
		}
		if request, err = torch.Request(process.Load, struct{}{}); err != nil {
			return answer, nil, err
		}
	}
}

// parseReply reads an answer. The parts of a build request are collected in text.
func parseReply[T any](lines [][]string, text *strings.Builder, parse func(lines [][]string) (T, error)) (reply[T], error) {
	var answer reply[T]
	var err error
	if len(lines) != 1 || len(lines[0]) != 2 || !strings.HasPrefix(lines[0][1], `{"build":`) {
		if text.Len() > 0 {
			return answer, process.Malformedf("a build request has no end")
		}
		answer.value, err = parse(lines)
		return answer, err
	}
	var message struct {
		Build part `json:"build"`
	}
	if err := torch.Decode(lines, &message); err != nil {
		return answer, err
	}
	answer.part = &message.Build
	text.WriteString(message.Build.Text)
	switch {
	case message.Build.Text == "":
		err = process.Malformedf("a build request has an empty part")
	case text.Len() > maxSources:
		err = process.Malformedf("more than %d bytes were passed to load_inline", maxSources)
	case !message.Build.More:
		answer.wanted, err = parseRequest(text.String())
	}
	return answer, err
}

// parseRequest reads a whole build request strictly.
func parseRequest(text string) (*inline.Request, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var a asked
	if err := decoder.Decode(&a); err != nil {
		return nil, process.Malformedf("a build request has bad JSON: %v", err)
	}
	if len(a.CPPLines) != len(a.CPP) || len(a.CUDALines) != len(a.CUDA) {
		return nil, process.Malformedf("a build request has not one line for each source")
	}
	for _, line := range append(append([]int{a.Line}, a.CPPLines...), a.CUDALines...) {
		if line < 0 {
			return nil, process.Malformedf("a build request has a line below 0")
		}
	}
	return &inline.Request{
		Name: a.Name, CPP: a.CPP, CUDA: a.CUDA, Functions: a.Functions, CFlags: a.CFlags, CUDAFlags: a.CUDAFlags,
		LDFlags: a.LDFlags, Includes: a.Includes, Line: a.Line, CPPLines: a.CPPLines, CUDALines: a.CUDALines,
	}, nil
}

// Serve has another build answer what the process passes to load_inline from now on.
func (p *Process) Serve(build Build) { p.build = build }

// serve builds what was asked for, and returns the message that tells of it.
func (p *Process) serve(ctx context.Context, wanted inline.Request) (process.Request, error) {
	if p.builds++; p.builds > maxBuilds {
		return refusal(fmt.Sprintf("one answer may build %d modules", maxBuilds), false)
	}
	if p.build == nil {
		return refusal("nothing can be built here", false)
	}
	built, err := p.build(ctx, wanted)
	if err != nil {
		return process.Request{}, fmt.Errorf("build what load_inline was given: %w", err)
	}
	if !built.OK() {
		return refusal(failure(built), len(built.Unsupported) > 0)
	}
	return delivery(wanted, built)
}

// delivery is the message with a module.
func delivery(wanted inline.Request, built inline.Built) (process.Request, error) {
	request, err := torch.Request(process.Load, map[string]any{"built": map[string]any{
		"module": moduleName(wanted, built), "binder": nameOf(built.Binder), "functions": built.Functions,
	}})
	if err != nil {
		return request, err
	}
	for _, path := range []string{built.Module, built.Binder} {
		if path == "" {
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			closeAll(request.Files)
			return request, fmt.Errorf("open a module that was built: %w", err)
		}
		request.Files = append(request.Files, file)
	}
	return request, nil
}

// moduleName is the name under which Python finds the module's entry; the binder
// needs none.
func moduleName(wanted inline.Request, built inline.Built) string {
	if built.Binder == "" {
		return wanted.Name
	}
	return nameOf(built.Module)
}

// nameOf is a file's name without its endings.
func nameOf(path string) string {
	if path == "" {
		return ""
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

func refusal(why string, unsupported bool) (process.Request, error) {
	return torch.Request(process.Load, map[string]any{"built": map[string]any{"failed": why, "unsupported": unsupported}})
}

// failure says in one line why there is no module: the first error, or what only a
// GPU can run.
func failure(built inline.Built) string {
	for _, c := range built.Unsupported {
		return fmt.Sprintf("line %d: %s", c.Line, c.Name)
	}
	for _, d := range built.Diagnostics {
		if d.Severity == "error" {
			return fmt.Sprintf("line %d: %s", d.Line, d.Message)
		}
	}
	return "the sources do not compile"
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
