package process

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// SharedFile makes anonymous memory of a fixed size, for processes to map. It is there as
// a whole: memory that is missing is an error here, and not the end of whoever touches it
// first. The seals keep another process from shrinking it, which would be that as well.
// More than the system has is not asked for: it would end processes to make room.
func SharedFile(name string, size int64) (*os.File, error) {
	if free := FreeMemory(); size > free {
		return nil, fmt.Errorf("make a file of %d bytes in memory: %d are available", size, free)
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), name)
	if err := allocate(fd, size); err != nil {
		return nil, errors.Join(fmt.Errorf("make a file of %d bytes in memory: %w", size, err), file.Close())
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return nil, errors.Join(fmt.Errorf("seal a file in memory: %w", err), file.Close())
	}
	return file, nil
}

// FreeMemory is how many bytes programs can take without others having to give way, or
// their control group, such as a container's, being over its limit: as much as there may
// be where the system does not say.
func FreeMemory() int64 {
	free := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		free = available(string(text))
	}
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		free = min(free, groupMemory(controlGroups, string(text)))
	}
	return free
}

// available reads a line such as "MemAvailable:   23469 kB".
func available(text string) int64 {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "MemAvailable:" || fields[2] != "kB" {
			continue
		}
		if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil && n >= 0 && n < math.MaxInt64>>10 {
			return n << 10
		}
	}
	return math.MaxInt64
}

// allocate sets a file's size with all of its memory, where the system can, else without.
func allocate(fd int, size int64) error {
	for {
		err := unix.Fallocate(fd, 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS):
			return unix.Ftruncate(fd, size)
		default:
			return err
		}
	}
}
