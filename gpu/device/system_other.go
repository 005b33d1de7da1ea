//go:build !linux

package device

import (
	"os/exec"
	"syscall"
)

// No process is ever started here: [Prepare] has said so.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func reapGroup(cmd *exec.Cmd, beforeReaping func()) {
	_ = cmd.Wait()
	beforeReaping()
}
