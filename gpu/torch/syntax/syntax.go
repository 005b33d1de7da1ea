package syntax

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/tasks/rules"
)

// Limits of one reading. The helper has its own on size and memory; an answer
// of ordinary size takes about 50 ms.
const (
	limit     = 5 * time.Second
	maxOutput = 16 << 20 // bytes of JSON
	maxErrors = 4 << 10  // bytes of the helper's complaints that are kept
)

// program runs hone's program in the folder that it is given, which Python looks for
// nothing in by itself with -I.
const program = `import sys
sys.path.insert(0, sys.argv[1])
from hone_torch.facts.program import main
main()`

// SyntaxError says why a file is not Python that can be read.
type SyntaxError struct {
	Line    int // from 1
	Column  int // from 1
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Read takes apart an answer in the torch dialect. Python is an interpreter, folder that
// of hone's Python programs (torch.Prepare gives it). A file that is not Python, or too
// large or too deeply nested to be read, is a [SyntaxError]; an error means that it could
// not be tried.
func Read(ctx context.Context, python, folder, text string) (rules.Answer, *SyntaxError, error) {
	facts, bad, err := Facts(ctx, python, folder, text)
	if bad != nil || err != nil {
		return rules.Answer{}, bad, err
	}
	return assemble(facts), nil, nil
}

// assemble adds to the facts the words of every source whose text is known.
func assemble(facts rules.Facts) rules.Answer {
	answer := rules.Answer{Dialect: "torch", Facts: facts}
	for _, build := range facts.Builds {
		for _, t := range build.Sources {
			if t.Text != nil {
				answer.CUDA = append(answer.CUDA, Source(*t.Text, t.LineOf))
			}
		}
	}
	return answer
}

// CUDA takes apart an answer in the cuda dialect, or a source of a build: lines
// are those of the text.
func CUDA(text string) rules.Answer {
	return rules.Answer{Dialect: "cuda", CUDA: []rules.Source{Source(text, func(line int) int { return line })}}
}

// Source takes apart C++ whose lines stand elsewhere in a file.
func Source(text string, lineOf func(int) int) rules.Source {
	words := compile.Words(text)
	kinds := map[compile.WordKind]rules.WordKind{
		compile.Punctuation: rules.Punctuation, compile.Identifier: rules.Identifier,
		compile.Number: rules.Number, compile.Literal: rules.Literal,
	}
	s := rules.Source{Words: make([]rules.Word, len(words))}
	for i, w := range words {
		s.Words[i] = rules.Word{Text: w.Text, Line: lineOf(w.Line), Kind: kinds[w.Kind], Directive: w.Directive}
	}
	return s
}

// Facts returns the facts of a Python file's syntax tree. See [Read].
func Facts(ctx context.Context, python, folder, text string) (rules.Facts, *SyntaxError, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, complaints := &bounded{left: maxOutput}, &bounded{left: maxErrors}
	cmd := exec.CommandContext(limited, python, "-I", "-S", "-B", "-c", program, folder)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, complaints
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return rules.Facts{}, nil, ctx.Err()
	case limited.Err() != nil:
		return rules.Facts{}, &SyntaxError{1, 1, fmt.Sprintf("reading the file takes longer than %v: make it shorter", limit)}, nil
	case errors.As(err, &exit) && !exit.Exited():
		// The parsers of some Python versions overflow their stack.
		return rules.Facts{}, &SyntaxError{1, 1, "nested too deeply"}, nil
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return rules.Facts{}, nil, fmt.Errorf("read the answer's Python with %s: %w: %s", python, err, complaints.lastLine())
	case out.cut:
		return rules.Facts{}, &SyntaxError{1, 1, "the file has too many names: make it shorter"}, nil
	}
	facts, bad, err := parse(out.kept.Bytes())
	if err != nil {
		return rules.Facts{}, nil, fmt.Errorf("read what hone_torch.facts in %s says: %w", folder, err)
	}
	return facts, bad, nil
}

// parse reads the helper's JSON: the facts, or the one error in their place.
func parse(data []byte) (rules.Facts, *SyntaxError, error) {
	var answer struct {
		rules.Facts
		Error *struct {
			Line    int    `json:"line"`
			Column  int    `json:"column"`
			Message string `json:"message"`
		} `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&answer); err != nil {
		return rules.Facts{}, nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return rules.Facts{}, nil, errors.New("more than one value")
	}
	if e := answer.Error; e != nil {
		return rules.Facts{}, &SyntaxError{max(1, e.Line), max(1, e.Column), e.Message}, nil
	}
	return answer.Facts, nil, nil
}

// bounded keeps the first bytes written to it and drops the rest.
type bounded struct {
	kept bytes.Buffer
	left int
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.kept.Write(p[:n])
	b.left -= n
	b.cut = b.cut || n < len(p)
	return len(p), nil
}

func (b *bounded) lastLine() string {
	text := strings.TrimSpace(b.kept.String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}
