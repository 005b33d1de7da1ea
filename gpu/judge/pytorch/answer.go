package pytorch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/inline"
)

// answerFile is what an answer is called in messages.
const answerFile = "answer.py"

// answer is a file and the process that runs it.
type answer struct {
	path    string
	process *candidate.Process
}

// answer writes a text and takes a process for it. The caller closes it.
func (s *workshop) answer(ctx context.Context, text string) (*answer, error) {
	path, err := s.file(answerFile, text)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	a := &answer{path: path}
	if a.process, err = s.spares.Take(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *answer) load(ctx context.Context, r *reference, programs bool, build candidate.Build, limit time.Duration) (
	candidate.Loaded, *process.Fault, error) {
	return a.process.Load(ctx, candidate.Load{
		Answer: a.path, Reference: r.path, Description: r.about, Programs: programs,
	}, build, limit)
}

// close ends the process and removes the file. It may be called on a nil answer.
func (a *answer) close() error {
	if a == nil {
		return nil
	}
	err := os.RemoveAll(filepath.Dir(a.path))
	if a.process != nil {
		err = errors.Join(err, a.process.Close())
	}
	return err
}

// build makes a module of what an answer passed to load_inline.
func (s *workshop) build(ctx context.Context, r inline.Request, limit time.Duration) (inline.Built, error) {
	if s.builder == nil {
		return inline.Built{}, s.why
	}
	return s.builder.Build(ctx, r, limit)
}
