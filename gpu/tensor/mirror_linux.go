package tensor

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"example.com/hone/gpu/process"
)

// mirror is a file in memory, mapped here. The zero value is none.
type mirror struct {
	file  *os.File
	bytes []byte
}

// newMirror makes a file of a fixed size.
func newMirror(size int64) (m mirror, err error) {
	if m.file, err = process.SharedFile("hone-tensor", size); err != nil {
		return mirror{}, err
	}
	m.bytes, err = unix.Mmap(int(m.file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return mirror{}, errors.Join(fmt.Errorf("map a file of %d bytes: %w", size, err), m.close())
	}
	return m, nil
}

// another is a second descriptor of the file, for the caller to close.
func (m mirror) another() (*os.File, error) {
	fd, err := unix.FcntlInt(m.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the file again: %w", err)
	}
	return os.NewFile(uintptr(fd), "tensor"), nil
}

func (m mirror) close() error {
	var err error
	if m.bytes != nil {
		err = unix.Munmap(m.bytes)
	}
	if m.file != nil {
		err = errors.Join(err, m.file.Close())
	}
	return err
}
