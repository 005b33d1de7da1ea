package process

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

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
