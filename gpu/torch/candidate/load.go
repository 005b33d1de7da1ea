package candidate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

const (
	maxUnmatched = 256 // names in an answer to load
	maxBuilds    = 64  // of one process
)

// Load is what a process needs to know of an answer and its task.
type Load struct {
	Answer      string // path of the file with ModelNew
	Reference   string // path of the task's file, for get_init_inputs and the structure of get_inputs
	Description torch.Description

	// Aliases lets outputs lie in the memory of inputs or state, for a task whose
	// reference does that. Buffers that are writable may always be returned.
	Aliases bool
	// Programs lets the answer start programs: Triton compiles with some.
	Programs bool
}

// Loaded is what the process says of an answer that was loaded: a claim.
type Loaded struct {
	Unmatched    []string `json:"unmatched"` // state of the reference that ModelNew has not under the same name and shape
	Builds       int      `json:"builds"`    // that succeeded
	FailedBuilds int      `json:"failed_builds"`
}

// Load executes the answer and makes its ModelNew, all within limit, without the time
// that build takes. A process loads one answer; build serves its later calls as well,
// until [Process.Serve] gives another.
func (p *Process) Load(ctx context.Context, l Load, build Build, limit time.Duration) (Loaded, *process.Fault, error) {
	p.Serve(build)
	description, err := p.carried(l.Description)
	if err != nil {
		return Loaded{}, nil, fmt.Errorf("load %s: %w", l.Answer, err)
	}
	request, err := torch.Request(process.Load, map[string]any{
		"answer": l.Answer, "reference": l.Reference, "aliases": l.Aliases, "programs": l.Programs,
	})
	if err != nil {
		_ = description.Close()
		return Loaded{}, nil, fmt.Errorf("load %s: %w", l.Answer, err)
	}
	request.Files = []*os.File{description}
	loaded, fault, err := converse(ctx, p, limit, request, parseLoaded)
	if err != nil {
		err = fmt.Errorf("load %s: %w", l.Answer, err)
	}
	return loaded, fault, err
}

func parseLoaded(lines [][]string) (Loaded, error) {
	var loaded Loaded
	if err := torch.Decode(lines, &loaded); err != nil {
		return Loaded{}, err
	}
	if loaded.Builds < 0 || loaded.FailedBuilds < 0 || len(loaded.Unmatched) > maxUnmatched {
		return Loaded{}, process.Malformedf("an answer to load has impossible counts")
	}
	return loaded, nil
}

// carried is a file without a name that holds a value in JSON: a contained process can
// read it, and it may be longer than a message.
func (p *Process) carried(value any) (*os.File, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(p.scratch, "hone-description-*")
	if err != nil {
		return nil, err
	}
	if err = os.Remove(file.Name()); err == nil {
		_, err = file.Write(text)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
