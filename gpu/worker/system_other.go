//go:build !linux

package worker

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// sharedFile is a file without a name. It has no seals here: a worker that
// shrinks it ends the judge, which the client reports and starts again.
func sharedFile(size int64) (*os.File, error) {
	file, err := os.CreateTemp("", "hone-buffer-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, err
	}
	if err := unix.Ftruncate(int(file.Fd()), size); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// ownGroup starts a process in a group of its own. Where a parent's death sends
// no signal, the worker ends by itself when its socket closes.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reapGroup reaps the process first: nothing here can wait without reaping.
func reapGroup(cmd *exec.Cmd, beforeReaping func()) {
	_ = cmd.Wait()
	beforeReaping()
}
