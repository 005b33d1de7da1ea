package tensor

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mirror is a file in memory, mapped here. The zero value is none.
type mirror struct {
	file  *os.File
	bytes []byte
}

// newMirror makes a file of a fixed size. The seals keep another process from
// shrinking it, which would end this one at its next look.
func newMirror(size int64) (mirror, error) {
	fd, err := unix.MemfdCreate("hone-tensor", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return mirror{}, fmt.Errorf("make a file in memory: %w", err)
	}
	m := mirror{file: os.NewFile(uintptr(fd), "tensor")}
	if err := unix.Ftruncate(fd, size); err != nil {
		return mirror{}, errors.Join(fmt.Errorf("make a file of %d bytes in memory: %w", size, err), m.close())
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return mirror{}, errors.Join(fmt.Errorf("seal a file in memory: %w", err), m.close())
	}
	m.bytes, err = unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
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
