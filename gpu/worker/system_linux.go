package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// sharedFile makes anonymous memory of a fixed size. The seals keep a worker
// from shrinking it, which would end the judge with SIGBUS at its next look.
func sharedFile(size int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("hone-buffer", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "buffer")
	if err := unix.Ftruncate(fd, size); err != nil {
		_ = file.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
