package torch

import (
	"fmt"
	"os"
	"strings"

	"example.com/hone/gpu/process"
)

// The bounds of one map message. The kernel passes at most 253 descriptors at once.
const (
	MaxBuffers     = 1536
	MaxDescriptors = 253
)

// Buffer is memory of the judge that a Python process is given for one tensor.
type Buffer struct {
	Name     string
	Bytes    int64    // of the tensor
	Writable bool     // by the process
	Size     int64    // of the allocation
	Offset   int64    // of the tensor in it, a multiple of the element's size
	File     *os.File // stands for the allocation; may be closed once mapped. Buffers with the same File share the allocation

	// Host says that File is memory of the host. On a GPU the process then works on
	// copies of it in device memory.
	Host bool
}

// Group is the buffers of one part of a set, in the order of the description.
type Group struct {
	Name    string
	Buffers []Buffer
}

// MapRequest is the message that gives a process one set of buffers. Set 0 takes the
// place of all sets before it; the others follow it in ascending order.
func MapRequest(index int, groups ...Group) (process.Request, error) {
	request := process.Request{Type: process.Map, Lines: []string{fmt.Sprintf("set\t%d", index)}}
	numbers := make(map[*os.File]int)
	buffers := 0
	for _, group := range groups {
		request.Lines = append(request.Lines, "group\t"+group.Name)
		for _, b := range group.Buffers {
			if err := b.check(); err != nil {
				return request, err
			}
			number, known := numbers[b.File]
			if !known {
				number = len(request.Files)
				numbers[b.File] = number
				request.Files = append(request.Files, b.File)
			}
			request.Lines = append(request.Lines, b.line(number))
			buffers++
		}
	}
	if buffers > MaxBuffers || len(request.Files) > MaxDescriptors {
		return request, fmt.Errorf("map %d buffers in %d allocations: at most %d in %d; put several tensors into one allocation",
			buffers, len(request.Files), MaxBuffers, MaxDescriptors)
	}
	return request, nil
}

func (b Buffer) check() error {
	switch {
	case b.File == nil:
		return fmt.Errorf("map buffer %s: it has no file", b.Name)
	case b.Bytes < 0 || b.Offset < 0 || b.Size < 1 || b.Offset > b.Size || b.Bytes > b.Size-b.Offset:
		return fmt.Errorf("map buffer %s: %d bytes at %d lie outside of %d", b.Name, b.Bytes, b.Offset, b.Size)
	case strings.ContainsAny(b.Name, "\t\n"):
		return fmt.Errorf("map buffer %q: its name has a tab or a line break", b.Name)
	}
	return nil
}

func (b Buffer) line(descriptor int) string {
	mode, home := "r", "device"
	if b.Writable {
		mode = "w"
	}
	if b.Host {
		home = "file"
	}
	return fmt.Sprintf("buffer\t%s\t%d\t%s\t%d\t%d\t%s\t%d", b.Name, b.Bytes, mode, b.Size, b.Offset, home, descriptor)
}
