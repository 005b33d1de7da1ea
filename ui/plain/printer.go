package plain

import (
	"io"

	"example.com/hone/agent"
	"example.com/hone/agent/record"
)

// Printer prints the events of one session as they come.
type Printer interface {
	Event(agent.Event)
	// Err is the first failure to write; nothing is written after it.
	Err() error
}

// NewJSON prints one object per event, in the envelope of the record and with
// all texts in place. Events that are not recorded have a null id and seq.
func NewJSON(w io.Writer) Printer { return &jsonPrinter{out: output{w: w}} }

type jsonPrinter struct{ out output }

func (p *jsonPrinter) Event(e agent.Event) {
	line, err := record.Encode(e)
	if err != nil {
		p.out.fail(err)
		return
	}
	p.out.write(line)
}

func (p *jsonPrinter) Err() error { return p.out.err }

// output is a writer that remembers its first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) write(b []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(b)
	}
}

func (o *output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
