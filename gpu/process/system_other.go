//go:build !linux

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a process in a group of its own. Where a parent's death sends
// no signal, a program ends by itself when its socket closes.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reapGroup reaps the process first: nothing here can wait without reaping.
func reapGroup(cmd *exec.Cmd, beforeReaping func()) {
	_ = cmd.Wait()
	beforeReaping()
}
