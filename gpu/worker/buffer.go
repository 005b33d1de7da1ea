package worker

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"example.com/hone/gpu/process"
)

// guardByte fills the bytes around the data. It is neither zero nor the byte of
// a usual poison, so that a stray write is seen.
const guardByte = 0xC3

// Buffer is memory that the judge shares with one worker. It is used for one
// trial and closed; the worker never gets the same one twice.
type Buffer struct {
	Name     string
	Writable bool // by the worker

	bytes  int64
	layout Layout
	file   *os.File
	mapped []byte
}

// NewBuffer makes a buffer with its guards in place.
func NewBuffer(name string, bytes int64, writable bool) (*Buffer, error) {
	b := &Buffer{Name: name, Writable: writable, bytes: bytes, layout: LayoutOf(bytes)}
	var err error
	if b.file, err = process.SharedFile("hone-buffer", b.layout.Size); err != nil {
		return nil, fmt.Errorf("make buffer %s of %d bytes: %w", name, bytes, err)
	}
	b.mapped, err = unix.Mmap(int(b.file.Fd()), 0, int(b.layout.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		_ = b.file.Close()
		return nil, fmt.Errorf("map buffer %s of %d bytes: %w", name, bytes, err)
	}
	before, after := b.guards()
	fill(before, guardByte)
	fill(after, guardByte)
	return b, nil
}

// Data is the tensor's bytes, shared with the worker.
func (b *Buffer) Data() []byte {
	return b.mapped[b.layout.Offset : b.layout.Offset+b.bytes]
}

// Share is the file that another process maps, its size and where the data lies in
// it. The file stays the buffer's.
func (b *Buffer) Share() (file *os.File, size, offset int64) {
	return b.file, b.layout.Size, b.layout.Offset
}

// Fill sets every byte of the data.
func (b *Buffer) Fill(value byte) { fill(b.Data(), value) }

// ReadOnly is the same memory as a worker gets it to read alone. It is closed with b.
func (b *Buffer) ReadOnly() *Buffer {
	lent := *b
	lent.Writable = false
	return &lent
}

// Damage counts the guard bytes that were changed before and after the data.
func (b *Buffer) Damage() (before, after int) {
	front, back := b.guards()
	return changed(front), changed(back)
}

// Close gives the judge's share of the memory back.
func (b *Buffer) Close() error {
	if b.mapped == nil {
		return nil
	}
	err := unix.Munmap(b.mapped)
	b.mapped = nil
	if closeErr := b.file.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (b *Buffer) guards() (before, after []byte) {
	return b.mapped[:b.layout.Offset], b.mapped[b.layout.Offset+b.bytes:]
}

func fill(span []byte, value byte) {
	if len(span) == 0 {
		return
	}
	span[0] = value
	for done := 1; done < len(span); done *= 2 {
		copy(span[done:], span[:done])
	}
}

func changed(guard []byte) int {
	return len(guard) - bytes.Count(guard, []byte{guardByte})
}
