package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// engine is a scripted session: it plays events and keeps the commands it got.
type engine struct {
	events chan agent.Event
	err    error

	mu     sync.Mutex
	sent   []agent.Command
	closed int
}

func newEngine() *engine { return &engine{events: make(chan agent.Event, 4096)} }

func (e *engine) Events() <-chan agent.Event { return e.events }

func (e *engine) Send(c agent.Command) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, c)
}

func (e *engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed++
	return e.err
}

func (e *engine) commands() []agent.Command {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]agent.Command(nil), e.sent...)
}

// bench is a model with its fakes. Commands run only when the test says so.
type bench struct {
	*Model
	t      testing.TB
	engine *engine
	now    time.Time
	copied []string
	quit   bool
}

func newBench(t testing.TB, w, h int, profile term.Profile) *bench {
	t.Helper()
	b := &bench{t: t, engine: newEngine(), now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	speed := func(v float64) *float64 { return &v }
	over, end := context.WithCancel(context.Background())
	end() // so that reading events never waits: play hands them over
	b.Model = New(over, Options{
		Tasks: testTasks(), Model: "scripted-32b",
		Machine: func(context.Context) (gpu.Machine, error) {
			return gpu.Machine{Device: "CPU emulation", Emulated: true}, nil
		},
		Theme: theme.New(profile), Editor: []string{"vim"}, Clock: func() time.Time { return b.now },
		Open: func(context.Context, tasks.Task) (Live, error) { return b.engine, nil },
		Runs: func(context.Context) ([]Run, error) {
			return []Run{
				{
					ID: "01KB7XQ0A9J4S2V6W8Y0Z1C3E5", Task: "builtin/l1/softmax", Model: "scripted-32b",
					Started: b.now.Add(-2 * time.Hour), Turns: 6, Best: speed(2.63), Emulated: true, Stopped: "accepted",
					Speedups: []*float64{nil, nil, speed(0.71), speed(1.84), speed(1.86), speed(2.63)},
					Outcomes: []string{"compile_error", "mismatch", "correct", "correct", "correct", "correct"},
				},
				{ID: "01KB7XQ0A9J4S2V6W8Y0Z1C3E6", Task: "builtin/l1/matmul", Model: "scripted-32b", Started: b.now.Add(-26 * time.Hour), Turns: 1, Speedups: []*float64{nil}, Outcomes: []string{"stopped"}, Emulated: true},
				{ID: "01KB7XQ0A9J4S2V6W8Y0Z1C3E7", Problem: "line 212: unexpected end of JSON"},
			}, nil
		},
		Load: func(_ context.Context, run string) ([]agent.Event, error) {
			if strings.HasSuffix(run, "E7") {
				return nil, errors.New("run " + run + ": line 212: unexpected end of JSON")
			}
			return durable(agenttest.Story()), nil
		},
		Copy: func(_ context.Context, name, text string) (string, error) {
			b.copied = append(b.copied, text)
			return "saved to /runs/" + name, nil
		},
	})
	b.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	return b
}

func testTasks() []tasks.Task {
	soft := agenttest.Task()
	other := soft
	other.ID, other.Name, other.Title, other.Level = "builtin/l2/matmul_bias_gelu", "matmul_bias_gelu", "Linear layer with GELU", 2
	wide := soft
	wide.ID, wide.Name, wide.Title = "extra/l1/行列", "行列", "行列の積 🚀 (wide)"
	return []tasks.Task{soft, other, wide}
}

// send gives the model one message and runs the commands that come of it, in
// order and to their end.
func (b *bench) send(msg tea.Msg) {
	b.t.Helper()
	_, cmd := b.Update(msg)
	b.run(cmd)
}

func (b *bench) run(cmd tea.Cmd) {
	b.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.run(cmd)
		}
	case tea.QuitMsg:
		b.quit = true
	default:
		b.send(msg)
	}
}

// keys presses keys, as Bubble Tea names them.
func (b *bench) press(names ...string) {
	b.t.Helper()
	for _, name := range names {
		b.send(keyMsg(name))
	}
}

func keyMsg(name string) tea.KeyMsg {
	special := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "ctrl+x": tea.KeyCtrlX, "ctrl+c": tea.KeyCtrlC, "ctrl+j": tea.KeyCtrlJ,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "ctrl+d": tea.KeyCtrlD,
		"backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd, "ctrl+w": tea.KeyCtrlW, "ctrl+u": tea.KeyCtrlU,
	}
	if k, ok := special[name]; ok {
		return tea.KeyMsg{Type: k}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (b *bench) write(text string) {
	b.t.Helper()
	for _, r := range text {
		b.press(string(r))
	}
}

// play lets events happen, in batches of n.
func (b *bench) play(events []agent.Event, n int) {
	b.t.Helper()
	for len(events) > 0 {
		k := min(n, len(events))
		b.now = events[k-1].Time
		b.send(eventsMsg{generation: b.refine.generation, events: events[:k]})
		events = events[k:]
	}
}

func durable(events []agent.Event) []agent.Event {
	var out []agent.Event
	for _, e := range events {
		if !e.Kind.Live() {
			out = append(out, e)
		}
	}
	return out
}

// until is the story up to the n-th event of a kind in a turn.
func until(turn int, kind agent.Kind, n int) []agent.Event {
	return cut(agenttest.Story(), turn, kind, n)
}

// onGPU is the story told on a GPU, up to the end of a turn.
func onGPU(turn int) []agent.Event {
	return cut(agenttest.GPUStory(), turn, agent.KindTurnEnded, 1)
}

func cut(all []agent.Event, turn int, kind agent.Kind, n int) []agent.Event {
	for i, e := range all {
		if e.Turn == turn && e.Kind == kind {
			if n--; n == 0 {
				return all[:i+1]
			}
		}
	}
	panic("the story has no such event")
}

func (b *bench) screenText() string { return ansi.Strip(b.View()) }

func (b *bench) wantOnScreen(parts ...string) {
	b.t.Helper()
	screen := b.screenText()
	for _, p := range parts {
		if !strings.Contains(screen, p) {
			b.t.Errorf("screen lacks %q:\n%s", p, screen)
		}
	}
}

func (b *bench) wantNotOnScreen(parts ...string) {
	b.t.Helper()
	screen := b.screenText()
	for _, p := range parts {
		if strings.Contains(screen, p) {
			b.t.Errorf("screen has %q:\n%s", p, screen)
		}
	}
}

// checkFrame holds a frame to its size: exactly h rows of exactly w cells.
func checkFrame(t testing.TB, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Errorf("%dx%d: %d rows", w, h, len(lines))
	}
	for i, row := range lines {
		if got := term.Width(row); got != w {
			t.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, got, row)
		}
	}
}

func (b *bench) resize(w, h int) {
	b.t.Helper()
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
}
