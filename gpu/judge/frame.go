package judge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// maxFrame bounds one frame between program and judge.
const maxFrame = 16 << 20

// order is a frame to the judge: an evaluation to do, a task to get ready for or to
// complete, a question what it judges on, or word that an order may go on or is cancelled.
type order struct {
	ID       uint64       `json:"id,omitempty"`
	Request  *gpu.Request `json:"request,omitempty"`
	Held     bool         `json:"held,omitempty"`    // the kernel of the request may not run yet
	Release  uint64       `json:"release,omitempty"` // the order whose kernel may run now
	Prepare  *tasks.Task  `json:"prepare,omitempty"`
	Derive   *tasks.Task  `json:"derive,omitempty"`   // to be answered in the cuda dialect
	Describe gpu.Dialect  `json:"describe,omitempty"` // what answers in it are judged on
	Cancel   uint64       `json:"cancel,omitempty"`
}

// work reports whether there is something to do, and not to cancel.
func (o order) work() bool {
	return o.ID != 0 && (o.Request != nil || o.Prepare != nil || o.Derive != nil || o.Describe != "")
}

// hold is closed once the kernel that waits may run; nil where none waits.
func (o order) hold() <-chan struct{} {
	if !o.Held {
		return nil
	}
	return o.Request.Hold
}

// answer is a frame from the judge: progress, or the end of one order by what was asked
// for or an error.
type answer struct {
	ID       uint64       `json:"id"`
	Event    *gpu.Event   `json:"event,omitempty"`
	Verdict  *gpu.Verdict `json:"verdict,omitempty"`
	Task     *tasks.Task  `json:"task,omitempty"`
	Machine  *gpu.Machine `json:"machine,omitempty"`
	Ready    bool         `json:"ready,omitempty"` // ends an order to get ready
	Error    string       `json:"error,omitempty"`
	Unusable bool         `json:"unusable,omitempty"` // the error is one of this machine: see [ErrUnusable]
	Unfit    bool         `json:"unfit,omitempty"`    // the error is one of the task: see [torch.NoSignatureError]
}

// last reports whether no more frames follow for the order.
func (a answer) last() bool {
	return a.Verdict != nil || a.Task != nil || a.Machine != nil || a.Ready || a.Error != ""
}

// writeFrame writes a 4-byte little-endian length and that many bytes of JSON.
func writeFrame(w io.Writer, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	if len(body) > maxFrame {
		return fmt.Errorf("a frame of %d bytes is larger than the %d allowed", len(body), maxFrame)
	}
	frame := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	if _, err := w.Write(append(frame, body...)); err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	return nil
}

// readFrame reads one frame. It returns io.EOF only between frames.
func readFrame(r io.Reader, value any) error {
	var header [4]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(header[:])
	if size > maxFrame {
		return fmt.Errorf("a frame announces %d bytes, more than the %d allowed", size, maxFrame)
	}
	// Read as it comes: an announced size alone reserves no memory.
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return fmt.Errorf("read a frame: %w", err)
	}
	if len(body) < int(size) {
		return fmt.Errorf("read a frame: %w", io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(body, value); err != nil {
		return fmt.Errorf("decode a frame: %w", err)
	}
	return nil
}
