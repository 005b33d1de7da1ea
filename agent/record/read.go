package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/hone/agent"
)

// lineLimit bounds one line. Long strings are blobs, so that real lines stay far
// below it.
const lineLimit = 16 << 20

// Problem is something wrong in a log, shown as a row beside the events.
type Problem struct {
	Line int // 1-based; 0: of the whole, which cannot be read
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Read returns the events of the run in a folder, and all that is wrong with its
// log. The error says that there is nothing to read at all.
func Read(path string) ([]agent.Event, []Problem, error) {
	r := reader{texts: blobs(filepath.Join(path, blobsName)).get}
	if err := r.read(path); err != nil {
		return nil, nil, fmt.Errorf("read run: %w", err)
	}
	return r.events, r.problems, nil
}

// reader takes a log line by line.
type reader struct {
	texts    func(ref string) (string, error) // nil: long texts are left out
	events   []agent.Event
	problems []Problem

	line   int
	linked bool    // prev is known
	prev   *string // hash of the line before, nil before the first
	sure   bool    // the line before was good, so the next seq is known
	seq    int64   // of the last good line
	whole  int64   // bytes of complete lines
	torn   int64   // bytes that follow them
}

func (r *reader) read(path string) error {
	f, err := os.Open(filepath.Join(path, eventsName))
	if err != nil {
		return err
	}
	defer f.Close()
	r.linked, r.sure = true, true
	in := bufio.NewReaderSize(f, 16<<10)
	var line []byte
	for {
		var size int64
		line, size, err = readLine(in, line[:0]) // nothing of the line before is kept
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		r.line++
		if err != nil {
			r.torn = size
			if size > 0 {
				r.problem("the last line is incomplete (%d bytes): the run was cut off while it was written", size)
			}
			return nil
		}
		r.whole += size
		r.take(line, size)
	}
}

// readLine reads to the next newline, however far it is, and says how many bytes
// that were. It adds them to line, but no more than lineLimit.
func readLine(in *bufio.Reader, line []byte) (_ []byte, size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if size <= lineLimit {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func (r *reader) problem(format string, args ...any) {
	r.problems = append(r.problems, Problem{Line: r.line, Text: fmt.Sprintf(format, args...)})
}

// take checks one line and keeps its event.
func (r *reader) take(line []byte, size int64) {
	if size > lineLimit {
		r.linked, r.sure = false, false
		r.problem("the line has %d bytes, more than the %d allowed", size, lineLimit)
		return
	}
	e, err := r.event(line)
	r.prev, r.linked = hashLine(line), true
	if err != nil {
		r.sure = false
		r.problem("not readable: %v", err)
		return
	}
	r.events = append(r.events, e)
	r.seq, r.sure = e.Seq, true
}

func (r *reader) event(line []byte) (agent.Event, error) {
	var env envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return agent.Event{}, err
	}
	if env.Version != version {
		return agent.Event{}, fmt.Errorf("written in version %d of the format, this program reads %d", env.Version, version)
	}
	r.chain(&env)
	if r.texts != nil {
		if err := env.attach(r.texts); err != nil {
			r.problem("%v", err)
		}
	}
	return env.unwrap()
}

// chain checks that a line follows the one before.
func (r *reader) chain(env *envelope) {
	if r.linked && !equal(env.Prev, r.prev) {
		r.problem("it does not follow the line before: the log was edited or cut")
	}
	if env.Seq != nil && r.sure && *env.Seq != r.seq+1 {
		r.problem("seq is %d after %d", *env.Seq, r.seq)
	}
}

func equal(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
