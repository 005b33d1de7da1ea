package ui

import (
	"context"
	"errors"
	"io"

	tea "github.com/charmbracelet/bubbletea"

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
	program := tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	_, err := program.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, m.Err())
}
