package ui

import (
	"context"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/agent/canary"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// Options is all that the screens are given. Functions are called from
// commands, never while a frame is drawn.
type Options struct {
	Tasks    []tasks.Task
	Problems int       // task files that could not be loaded
	Model    string    // who writes the kernels, for the task list
	Profiles []Profile // whom a session can have write; one or none: there is no choice
	Theme    theme.Theme
	Editor   []string // command and arguments; empty: no editor is known
	Clock    func() time.Time

	// Machine finds out what kernels are judged on, which may take a while. Nil:
	// nobody knows until a session says so.
	Machine func(context.Context) (gpu.Machine, error)
	// Open starts a session on a task.
	Open func(context.Context, tasks.Task) (Live, error)
	// Runs lists the record, newest first. Nil: there is none.
	Runs func(context.Context) ([]Run, error)
	// Load reads the events of one stored run.
	Load func(ctx context.Context, run string) ([]agent.Event, error)
	// Copy takes text out of the program and says in words where it went.
	Copy func(ctx context.Context, name, text string) (string, error)
	// Usual is how thoughts of models open.
	Usual canary.Usual
	// Earlier is what a model showed in runs that began before one. Nil: there is
	// no record of it.
	Earlier func(ctx context.Context, run, model string) ([]canary.Sample, error)

	Task *tasks.Task // opened at once
	Run  string      // shown at once
}

// Live is a session in progress.
type Live interface {
	// Events yields every event in order. It is closed when the session is over
	// and its record complete.
	Events() <-chan agent.Event
	// Send hands a command over and never blocks.
	Send(agent.Command)
	// Close ends the session, whether or not anybody still reads its events, and
	// returns once it is over: with what went wrong in it, if anything did. It
	// may be called again.
	Close() error
}

// Run is one stored run in a list.
type Run struct {
	ID       string
	Task     string // the task's ID
	Model    string
	Started  time.Time
	Turns    int
	Speedups []*float64 // one per turn, nil where the turn had no correct kernel
	Outcomes []string   // one per turn, empty while it runs
	Best     *float64
	Emulated bool
	Stopped  string // why it ended; empty when it did not say
	Problem  string // why it cannot be read; all else may then be empty
}

// Model is the whole user interface: the one tea.Model of the program.
type Model struct {
	Options
	ctx      context.Context // of the program; ends every command that waits
	terminal *os.File        // what an editor draws on; nil in tests
	after    func(time.Duration, tea.Msg) tea.Cmd
	width    int
	height   int

	machine machine
	screen  keys.Screen
	browse  browse
	refine  *refine // the session or stored run on screen; nil before the first
	diff    diff
	runs    runs

	dialog *dialog // takes the keys while it is open
	help   *help
	toast  toast // one line about the last key, until the next

	freeMouse  bool // the terminal has the mouse
	armed      arming
	generation int // of the session, diff and dialogs on screen; messages of others are stale
	closing    int // sessions being closed
	quitting   bool
	err        error // the first that a session ended with
}

// New makes the interface. ctx ends with the program.
func New(ctx context.Context, o Options) *Model {
	m := &Model{Options: o, ctx: ctx, after: afterCmd, screen: keys.Browse}
	m.browse = newBrowse(o.Tasks)
	return m
}

// Init starts what does not need a size: the initial session, or the list of runs.
func (m *Model) Init() tea.Cmd {
	commands := []tea.Cmd{m.listRuns()}
	switch {
	case m.Task != nil:
		commands = append(commands, m.open(*m.Task))
	case m.Run != "":
		commands = append(commands, m.show(m.Run))
	}
	return tea.Batch(commands...)
}

// Update handles one message, then asks for what the new screen lacks and, if it
// shows time, to be woken.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	return m, tea.Batch(cmd, m.askMachine(), m.settle(), m.tick(), m.observe())
}

// handle gives each kind of message to its method.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.resized()
	case tea.KeyMsg:
		return m.typed(msg)
	case tea.MouseMsg:
		return m.mouse(tea.MouseEvent(msg))
	case tea.ResumeMsg:
		return m.mouseMode()
	case machineMsg:
		m.machineFound(msg)
	case openedMsg:
		return m.opened(msg)
	case eventsMsg:
		return m.heard(msg)
	case closedMsg:
		return m.closed(msg)
	case tickMsg:
		m.ticked(msg)
	case disarmMsg:
		return m.disarmed()
	case colouredMsg:
		return m.coloured(msg)
	case previewMsg:
		m.browse.texts[msg.task] = msg.text
	case proseMsg:
		return m.proseRendered(msg)
	case runsMsg:
		return m.runsListed(msg)
	case loadedMsg:
		return m.loaded(msg)
	case comparedMsg:
		return m.compared(msg)
	case copiedMsg:
		return m.copied(msg)
	case draftMsg:
		return m.drafted(msg)
	case editedMsg:
		return m.edited(msg)
	case samplesMsg:
		m.sampled(msg)
	case earlierMsg:
		m.remembered(msg)
	}
	return nil
}

// View draws the frame: exactly height rows, none wider than width.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.width < minWidth || m.height < minHeight {
		return tooSmall(m.width, m.height)
	}
	return m.frame()
}

// Err is what a session ended with, nil if all went well.
func (m *Model) Err() error { return m.err }
