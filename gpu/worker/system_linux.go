package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

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

// ownGroup starts a process in a group of its own that dies with the judge. The
// signal follows the thread that starts the process, and Go ends no thread
// unless a goroutine locked to it returns: nothing in the judge does that.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reapGroup waits for the process to end and kills what it left in its group
// before reaping it: until then the group's number cannot go to anybody else.
func reapGroup(cmd *exec.Cmd, beforeReaping func()) {
	pid := cmd.Process.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
		continue
	}
	beforeReaping()
	_ = cmd.Wait()
}
