package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/tasks"
	"example.com/hone/ui/code"
	"example.com/hone/ui/md"
	"example.com/hone/ui/theme"
)

// drain is how long deltas are gathered before they make one frame, and batch
// the most events that one frame takes.
const (
	drain = 33 * time.Millisecond
	batch = 2048
)

// openedMsg: a session was started, or could not be.
type openedMsg struct {
	generation int
	task       tasks.Task
	live       Live
	err        error
}

func openCmd(ctx context.Context, open func(context.Context, tasks.Task) (Live, error), t tasks.Task, generation int) tea.Cmd {
	return func() tea.Msg {
		live, err := open(ctx, t)
		return openedMsg{generation, t, live, err}
	}
}

// eventsMsg: what a session did since the last one, and whether it is over.
type eventsMsg struct {
	generation int
	events     []agent.Event
	ended      bool
}

// readCmd waits for an event, then gathers more for a frame's time. Anything
// but text ends the wait: a verdict is shown at once.
func readCmd(ctx context.Context, live Live, generation int) tea.Cmd {
	return func() tea.Msg {
		msg := eventsMsg{generation: generation}
		select {
		case e, ok := <-live.Events():
			if !ok {
				msg.ended = true
				return msg
			}
			msg.events = append(msg.events, e)
		case <-ctx.Done():
			return nil
		}
		msg.gather(ctx, live.Events())
		return msg
	}
}

func (msg *eventsMsg) gather(ctx context.Context, events <-chan agent.Event) {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	for len(msg.events) < batch && msg.take(ctx, events, timer.C) {
	}
}

// take adds the next event. It waits for one only behind text.
func (msg *eventsMsg) take(ctx context.Context, events <-chan agent.Event, timeout <-chan time.Time) bool {
	if msg.events[len(msg.events)-1].Kind != agent.KindTextDelta {
		select {
		case e, ok := <-events:
			return msg.add(e, ok)
		default:
			return false
		}
	}
	select {
	case e, ok := <-events:
		return msg.add(e, ok)
	case <-timeout:
	case <-ctx.Done():
	}
	return false
}

func (msg *eventsMsg) add(e agent.Event, ok bool) bool {
	if !ok {
		msg.ended = true
		return false
	}
	msg.events = append(msg.events, e)
	return true
}

// closedMsg: a session is over and its record complete.
type closedMsg struct {
	generation int
	err        error
}

func closeCmd(live Live, generation int) tea.Cmd {
	return func() tea.Msg { return closedMsg{generation, live.Close()} }
}

// tickMsg: a quarter of a second has passed in a session where time shows.
type tickMsg struct{ generation int }

const tickTime = 250 * time.Millisecond

// disarmMsg: a first press is forgotten.
type disarmMsg struct{}

// armed is how long the first of two presses counts.
const armed = 2 * time.Second

// afterCmd brings a message after a time.
func afterCmd(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// runsMsg: the record was listed.
type runsMsg struct {
	runs []Run
	err  error
}

func runsCmd(ctx context.Context, list func(context.Context) ([]Run, error)) tea.Cmd {
	if list == nil {
		return nil
	}
	return func() tea.Msg {
		runs, err := list(ctx)
		return runsMsg{runs, err}
	}
}

// loadedMsg: a stored run was read.
type loadedMsg struct {
	generation int
	run        string
	events     []agent.Event
	err        error
}

func loadCmd(ctx context.Context, load func(context.Context, string) ([]agent.Event, error), run string, generation int) tea.Cmd {
	return func() tea.Msg {
		events, err := load(ctx, run)
		return loadedMsg{generation, run, events, err}
	}
}

// colouredMsg: source text was coloured: a turn's kernel, or with turn 0 the
// task of a session.
type colouredMsg struct {
	generation int
	turn       int
	kernel     []string
	task       taskText
}

func colourKernelCmd(th theme.Theme, lang code.Language, text string, turn, generation int) tea.Cmd {
	return func() tea.Msg {
		return colouredMsg{generation: generation, turn: turn, kernel: code.Highlight(text, lang, th)}
	}
}

func colourTaskCmd(th theme.Theme, pinned agent.TaskPinned, generation int) tea.Cmd {
	return func() tea.Msg {
		return colouredMsg{generation: generation, task: colourTask(th, pinned)}
	}
}

// previewMsg: a task of the browser was coloured.
type previewMsg struct {
	task string
	text taskText
}

func previewCmd(th theme.Theme, t tasks.Task) tea.Cmd {
	return func() tea.Msg { return previewMsg{t.ID, colourTask(th, agent.Pin(t))} }
}

// proseMsg: the words of a reply were rendered.
type proseMsg struct {
	generation int
	turn       int
	width      int
	rows       []string
}

func proseCmd(th theme.Theme, text string, turn, width, generation int) tea.Cmd {
	return func() tea.Msg {
		return proseMsg{generation, turn, width, md.RenderAll(text, width, th)}
	}
}

// copiedMsg: text went where route says, in words.
type copiedMsg struct {
	what  string
	route string
	err   error
}

func copyCmd(ctx context.Context, put func(context.Context, string, string) (string, error), what, file, text string) tea.Cmd {
	return func() tea.Msg {
		route, err := put(ctx, file, text)
		return copiedMsg{what, route, err}
	}
}

// comparedMsg: two kernels were compared.
type comparedMsg struct {
	generation int
	result     comparison
	err        error
}

func compareCmd(q question, generation int) tea.Cmd {
	return func() tea.Msg {
		result, err := compare(q.before, q.after, q.context, q.ignoreSpace)
		return comparedMsg{generation, result, err}
	}
}

// draftMsg: a kernel, or a prompt, lies in a file, ready for an editor.
type draftMsg struct {
	generation int
	turn       int
	prompt     bool
	fresh      bool // a kernel where the turn has none
	path       string
	before     string
	line       int
	err        error
}

// what names the text that is edited.
func (msg draftMsg) what() string { return pick(msg.prompt, "prompt", "kernel") }

func draftCmd(msg draftMsg, file string) tea.Cmd {
	return func() tea.Msg {
		if msg.path, msg.err = writeDraft(file, msg.before); msg.err != nil {
			msg.err = fmt.Errorf("write the %s for the editor: %w", msg.what(), msg.err)
		}
		return msg
	}
}

func writeDraft(file, text string) (string, error) {
	dir, err := os.MkdirTemp("", "hone-edit-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, file)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	return path, nil
}

// editedMsg: the editor was left.
type editedMsg struct {
	draftMsg
	after string
}

// editCmd hands the terminal to an editor until it exits. An editor that fails
// changes nothing. It draws on the terminal itself: the program's own output is
// wrapped, and would reach it as a pipe.
func editCmd(editor []string, draft draftMsg, terminal *os.File) tea.Cmd {
	words := append(slices.Clone(editor), editorArguments(editor[0], draft.path, draft.line)...)
	command := exec.Command(words[0], words[1:]...)
	if terminal != nil {
		command.Stdout = terminal
	}
	return tea.ExecProcess(command, func(err error) tea.Msg {
		defer os.RemoveAll(filepath.Dir(draft.path))
		msg := editedMsg{draftMsg: draft}
		if err != nil {
			msg.err = fmt.Errorf("editor %s: %w", words[0], err)
			return msg
		}
		text, err := os.ReadFile(draft.path)
		if err != nil {
			msg.err = fmt.Errorf("read the edited %s: %w", draft.what(), err)
		}
		msg.after = string(text)
		return msg
	})
}

// editorArguments opens a file at a line, where the editor is known to take one.
func editorArguments(editor, path string, line int) []string {
	switch filepath.Base(editor) {
	case "vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe":
		if line > 0 {
			return []string{fmt.Sprintf("+%d", line), path}
		}
	case "hx", "helix":
		if line > 0 {
			return []string{fmt.Sprintf("%s:%d", path, line)}
		}
	}
	return []string{path}
}
