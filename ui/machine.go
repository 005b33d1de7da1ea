package ui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/theme"
)

// machine is what the screens know of what kernels are judged on. The first frame
// does not wait for it.
type machine struct {
	gpu.Machine
	asked bool
	err   error // why it could not be found out
}

// machineMsg: it was found out what kernels are judged on, or could not be.
type machineMsg struct {
	machine gpu.Machine
	err     error
}

func machineCmd(ctx context.Context, find func(context.Context) (gpu.Machine, error)) tea.Cmd {
	return func() tea.Msg {
		found, err := find(ctx)
		return machineMsg{found, err}
	}
}

// askMachine asks once, when a screen first shows it. A stored run that is shown
// at once says itself what it was judged on.
func (m *Model) askMachine() tea.Cmd {
	stored := m.Run != "" && (m.refine == nil || m.screen == keys.Refine)
	if m.Machine == nil || m.machine.asked || stored {
		return nil
	}
	m.machine.asked = true
	return machineCmd(m.ctx, m.Machine)
}

// machineFound takes the answer.
func (m *Model) machineFound(msg machineMsg) {
	m.machine.Machine, m.machine.err = msg.machine, msg.err
	if msg.err != nil && m.ctx.Err() == nil {
		m.say(agent.LevelError, msg.err.Error())
	}
}

// learn takes what a session says: it may know before the answer comes.
func (k *machine) learn(s agent.SessionStarted) {
	if k.Device == "" && s.Device != "" {
		k.Device, k.Emulated, k.err = s.Device, s.Emulated, nil
	}
}

// label is what kernels are judged on, for a header.
func (k *machine) label(th theme.Theme) string {
	switch {
	case k.err != nil:
		return th.Bad.Render("kernels cannot be judged")
	case k.Device != "":
		return deviceLabel(th, k.Device, k.Emulated)
	case k.asked:
		return th.Dim.Render("looking for a GPU")
	}
	return ""
}

func deviceLabel(th theme.Theme, device string, emulated bool) string {
	if emulated {
		return th.Warn.Render("emulated on CPU")
	}
	return th.Text.Render(oneLine(device))
}

// reason says, in rows of at most w cells, why kernels are emulated.
func (k *machine) reason(th theme.Theme, w int) rows {
	if !k.Emulated || k.Reason == "" {
		return nil
	}
	var out rows
	for _, row := range wrapLine(plain.NoGPU(k.Reason), w) {
		out = append(out, th.Warn.Render(row))
	}
	return append(out, strings.Repeat(" ", w))
}
