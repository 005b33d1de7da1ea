package ui

import (
	"context"
	"errors"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/ui/term"
)

// framesPerSecond is how often the renderer looks for something new. It wakes
// that often also when nothing moves, so more would cost an idle screen.
const framesPerSecond = 30

// Display draws the interface on a terminal until the person leaves or ctx ends.
// The terminal is restored however that happens. Sessions that it opened may
// still be ending when it returns.
func Display(ctx context.Context, o Options, in io.Reader, out *term.Writer) error {
	m := New(ctx, o)
	m.terminal = out.File
	program := tea.NewProgram(&distinct{Model: m},
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	_, err := program.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, m.Err())
}

// distinct is the model as Bubble Tea runs it: no two frames in a row are equal,
// though they look it. Bubble Tea keeps a frame that equals the last one and
// compares it anew at every wake-up, which would cost an idle screen 5 % of a
// core; a frame that it has written it forgets.
type distinct struct {
	*Model
	updates int
}

// Update implements tea.Model.
func (d *distinct) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	d.updates++
	_, cmd := d.Model.Update(msg)
	return d, cmd
}

// View implements tea.Model. More updates than there are marks never happen
// between two wake-ups.
func (d *distinct) View() string {
	const marks = 64
	return d.Model.View() + strings.Repeat(ansi.ResetStyle, d.updates%marks)
}
