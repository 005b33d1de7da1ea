package ui

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/tasks"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

func TestBrowsing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys  []string
		has   []string
		hasno []string
	}{
		"sorted by level":     {nil, []string{"3 tasks", "sorted by level", "2.63x", "2h ago"}, nil},
		"filter as typed":     {[]string{"/", "g", "e", "l", "u"}, []string{"1 of 3 tasks", "matmul_bias_gelu"}, []string{"Row softmax"}},
		"no match":            {[]string{"/", "q", "q"}, []string{"No task contains qq.", "esc clears the filter"}, nil},
		"esc brings all back": {[]string{"/", "q", "q", "esc"}, []string{"3 tasks", "matmul_bias_gelu"}, []string{"No task"}},
		"cleared afterwards":  {[]string{"/", "g", "e", "l", "u", "enter", "esc"}, []string{"3 tasks"}, nil},
		"sort":                {[]string{"s", "s"}, []string{"sorted by best"}, nil},
		"the cursor moves":    {[]string{"G"}, []string{"> "}, nil},
		"preview alone":       {[]string{"v"}, []string{"reference, in PyTorch", "torch.softmax"}, []string{"lvl"}},
		"and back":            {[]string{"v", "esc"}, []string{"lvl"}, []string{"torch.softmax"}},
		"opens":               {[]string{"enter"}, []string{"No kernel yet.", "Row softmax"}, nil},
		"runs":                {[]string{"t"}, []string{"3 runs", "unreadable: line 212", "xx"}, nil},
		"help":                {[]string{"?"}, []string{"keys: tasks", "RUNS", "q"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 100, 30, term.Profile{})
			b.run(b.Init())
			b.press(c.keys...)
			b.wantOnScreen(c.has...)
			b.wantNotOnScreen(c.hasno...)
		})
	}
}

// TestATaskOfAReferenceAlone has no signature, shapes or level to show, and no
// empty places where they would be.
func TestATaskOfAReferenceAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 30, term.Profile{})
	b.browse = newBrowse([]tasks.Task{{ID: "mine/negate", Name: "negate", Title: "Negate", Reference: "class Model:\n    pass"}})
	b.run(b.Init())
	b.wantOnScreen("class Model:", "tensors and sizes", plain.SignatureUnknown, "  -  negate")
	b.wantNotOnScreen("what the kernel file defines", "level 0", "solve")
}

func TestRunsAreReadOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.run(b.Init())
	b.press("t", "enter")
	b.wantOnScreen("stored run", "softmax_warp", "best 2.63x", "accepted")
	b.press("n")
	b.wantOnScreen("this is a stored run: open its task to go on")
	b.press("[", "d")
	b.wantOnScreen("diff", "turn 4", "turn 5")
	b.press("q", "q")
	b.wantOnScreen("3 runs")
	b.press("G", "enter")
	b.wantOnScreen("line 212: unexpected end of JSON")
	b.press("/", "m", "a", "t", "enter")
	b.wantOnScreen("1 run", "matmul")
	b.press("q")
	if b.screen != keys.Browse {
		t.Error("q does not go back to the tasks")
	}
}

func TestStartsOnTaskOrRun(t *testing.T) {
	t.Parallel()
	task := agenttest.Task()
	b := newBench(t, 120, 40, term.Profile{})
	b.Task = &task
	b.run(b.Init())
	b.wantOnScreen("No kernel yet.")
	b = newBench(t, 120, 40, term.Profile{})
	b.Run = "01KB7XQ0A9J4S2V6W8Y0Z1C3E5"
	b.run(b.Init())
	b.wantOnScreen("stored run", "turn 6")
}

func TestDiffScreen(t *testing.T) {
	t.Parallel()
	open := func() *bench {
		b := newBench(t, 100, 30, term.Profile{})
		b.openSoftmax(agenttest.Story())
		b.press("[", "d")
		return b
	}
	for name, c := range map[string]struct {
		keys  []string
		has   []string
		hasno []string
	}{
		"unified when narrow":  {nil, []string{"turn 4 (1.84x) → turn 5 (1.86x)", "+2 -2", "unified", "1 change"}, []string{"│"}},
		"split when asked":     {[]string{"s"}, []string{"split", "│"}, nil},
		"all lines":            {[]string{"c"}, []string{"all lines", "#include <cuda_runtime.h>"}, nil},
		"spaces ignored":       {[]string{"i"}, []string{"spaces ignored"}, nil},
		"an older pair":        {[]string{"["}, []string{"turn 3 (0.71x) → turn 4 (1.84x)"}, nil},
		"against the best":     {[]string{"D"}, []string{"turn 5 (1.86x) → turn 6 (2.63x)"}, nil},
		"no more changes":      {[]string{"n"}, []string{"no more changes"}, nil},
		"found":                {[]string{"/", "s", "y", "n", "c", "enter"}, []string{"line with", "; next, , previous"}, nil},
		"not found":            {[]string{"/", "z", "z", "z", "enter"}, []string{`"zzz" is not here`}, nil},
		"enter goes to a line": {[]string{"enter"}, []string{"5 reply", "turn 5, edited"}, nil},
		"back":                 {[]string{"q"}, []string{"5 reply"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open()
			b.press(c.keys...)
			b.wantOnScreen(c.has...)
			b.wantNotOnScreen(c.hasno...)
		})
	}
}

func TestLookingAround(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w, h  int
		keys  []string
		has   []string
		hasno []string
	}{
		"old turn, all panes":   {200, 60, []string{"[", "[", "[", "[", "["}, []string{"viewing turn 1 of 6", "does not compile", "'maximum' was not declared in this scope"}, nil},
		"best":                  {120, 40, []string{"[", "[", "B"}, []string{"turn 6"}, nil},
		"newest":                {120, 40, []string{"[", "[", "0"}, []string{"turn 6"}, nil},
		"the tree moves turns":  {120, 40, []string{"4", "k", "k"}, []string{"viewing turn 4 of 6"}, nil},
		"error line by enter":   {80, 24, []string{"[", "[", "[", "[", "[", "g", "3", "enter"}, []string{"[2 kernel]", "expf(in[i] - maximum)"}, nil},
		"thoughts":              {120, 40, []string{"v"}, []string{"A warp per row needs no barrier.", "[5 reply]"}, nil},
		"thoughts away":         {120, 40, []string{"v", "v"}, []string{"[2 kernel]"}, []string{"needs no barrier."}},
		"prompt":                {120, 40, []string{"P"}, []string{"[prompt]", "Write a faster kernel for this task."}, nil},
		"log":                   {80, 24, []string{"L"}, []string{"[log]", "you accepted it"}, nil},
		"log away":              {80, 24, []string{"L", "L"}, []string{"[2 kernel]"}, nil},
		"task":                  {80, 24, []string{"1"}, []string{"[1 task]", "reference, in PyTorch"}, nil},
		"tabs cycle":            {80, 24, []string{"tab", "tab", "tab", "tab"}, []string{"[1 task]"}, nil},
		"zoom":                  {120, 40, []string{"+"}, []string{"[2 kernel]", "3 verdict ─ 4 turns"}, []string{"┬"}},
		"zoom ends by esc":      {120, 40, []string{"+", "esc"}, []string{"┬"}, nil},
		"wrap":                  {80, 24, []string{"w", "G"}, []string{"cudaStream_t stream)"}, nil},
		"pan":                   {80, 24, []string{"right", "right"}, []string{"untime.h>"}, []string{"<cuda_runtime.h>"}},
		"search in the kernel":  {120, 40, []string{"/", "s", "h", "f", "l", "enter"}, []string{"2 lines with \"shfl\""}, nil},
		"search finds the next": {120, 40, []string{"/", "s", "h", "f", "l", "enter", ";"}, []string{"> 13"}, nil},
		"help, filtered":        {80, 24, []string{"?", "/", "b", "r", "a", "n"}, []string{"branch"}, []string{"MOVE"}},
		"drawer keeps session":  {200, 60, []string{"?"}, []string{"keys: session", "softmax_warp"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.w, c.h, term.Profile{})
			b.openSoftmax(agenttest.Story())
			b.press(c.keys...)
			b.wantOnScreen(c.has...)
			b.wantNotOnScreen(c.hasno...)
			checkFrame(t, b.View(), c.w, c.h)
		})
	}
}

func TestSaysWhatGoesOn(t *testing.T) {
	t.Parallel()
	started := until(1, agent.KindModelRequested, 1)
	retried := append(append([]agent.Event(nil), started...), agent.Event{
		Kind: agent.KindModelRequested, Turn: 1, Time: started[len(started)-1].Time, Data: &agent.ModelRequested{Model: "m", Attempt: 3},
	})
	waited := append(slices.Clone(started), agent.Event{Kind: agent.KindModelRequested, Turn: 1, Time: started[len(started)-1].Time,
		Data: &agent.ModelRequested{Model: "m", Attempt: 2, Attempts: 4, Wait: 8 * time.Second}})
	for name, c := range map[string]struct {
		events []agent.Event
		later  time.Duration
		want   string
	}{
		"waiting":          {started, 4 * time.Second, "waiting for the model 0:04"},
		"again, soon":      {waited, time.Second, "asking again in 0:07, attempt 2 of 4"},
		"again, now":       {waited, 8 * time.Second, "waiting for the model 0:08, attempt 2 of 4"},
		"another attempt":  {retried, time.Second, "attempt 3"},
		"thinking":         {until(1, agent.KindTextDelta, 8), 0, "thinking ~"},
		"writing":          {until(4, agent.KindTextDelta, 50), 0, "writing ~"},
		"silent":           {until(4, agent.KindTextDelta, 50), 20 * time.Second, "silent for 0:20"},
		"compiling":        {until(3, agent.KindStageChanged, 3), 0, "compiling"},
		"final check":      {until(6, agent.KindStageChanged, 12), 0, "final check of turn 6"},
		"session at rest":  {until(4, agent.KindTurnEnded, 1), time.Hour, "ready"},
		"ended":            {agenttest.Story(), 0, "ended"},
		"older while runs": {until(4, agent.KindTextDelta, 50), 0, "turn 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(c.events)
			b.now = b.now.Add(c.later)
			b.wantOnScreen(c.want)
		})
	}
}

func TestNeverAGPUTimeWithoutSayingSo(t *testing.T) {
	t.Parallel()
	for _, at := range []size{{60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		b := newBench(t, at.w, at.h, term.Profile{})
		b.wantOnScreen("emulated on CPU")
		b.openSoftmax(agenttest.Story())
		b.wantOnScreen("emulated on CPU")
	}
}

func TestEditing(t *testing.T) {
	t.Parallel()
	path, err := writeDraft("kernel.cu", "__global__ void k() {}\n")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "__global__ void k() {}\n" || !strings.HasSuffix(path, ".cu") {
		t.Fatalf("the editor would get %q in %s, %v", text, path, err)
	}
	if err := os.RemoveAll(strings.TrimSuffix(path, "/kernel.cu")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		msg  editedMsg
		want string
	}{
		"unchanged": {editedMsg{draftMsg{before: "a"}, "a"}, "nothing was changed"},
		"failed":    {editedMsg{draftMsg{before: "a", err: os.ErrPermission}, "b"}, "the kernel is unchanged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			c.msg.generation = b.refine.generation
			b.send(c.msg)
			b.wantOnScreen(c.want)
			if sent := b.engine.commands(); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

func TestMouse(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 20, term.Profile{})
	b.openSoftmax(agenttest.Story())
	wheel := tea.MouseMsg{X: 10, Y: 8, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress}
	b.send(wheel)
	if got := b.refine.scroll(paneKernel).top; got != 3 {
		t.Errorf("the wheel over the kernel scrolled to %d", got)
	}
	wheel.X = 100
	b.send(wheel)
	if got := b.refine.scroll(paneVerdict).top; got != 3 {
		t.Errorf("the wheel over the verdict scrolled to %d", got)
	}
	b.send(tea.MouseMsg{X: 100, Y: 8, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if b.refine.focus != paneVerdict {
		t.Errorf("a click focused %s", b.refine.focus)
	}
	b.press("m")
	b.wantOnScreen("the mouse is the terminal's")
}

func TestKernelColoursComeAtTheEndAndChangeNoText(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{Colour: term.TrueColour})
	b.openSoftmax(until(4, agent.KindScored, 1))
	before := b.refine.sheet(4).code.Text()
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	s := b.refine.sheet(4)
	if !s.coloured || s.code.Text() != before {
		t.Errorf("coloured %v, text kept %v", s.coloured, s.code.Text() == before)
	}
	if line := s.code.Line(5); line.Styled == line.Raw {
		t.Error("a finished kernel has no colours")
	}
}

// TestResizesEndInACorrectFrame runs the program on a terminal of cells and
// resizes it many times while text streams.
func TestResizesEndInACorrectFrame(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{Colour: term.TrueColour})
	b.openSoftmax(until(4, agent.KindTextDelta, 30))
	screen := vt.NewEmulator(120, 40)
	for i := range 200 {
		at := size{60 + i*7%150, 15 + i*3%50}
		b.resize(at.w, at.h)
		screen.Resize(at.w, at.h)
		if i == 199 {
			at = size{100, 30}
			b.resize(at.w, at.h)
			screen.Resize(at.w, at.h)
		}
		frame := b.View()
		if _, err := screen.WriteString("\x1b[H\x1b[2J" + strings.ReplaceAll(frame, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	for y, want := range strings.Split(b.screenText(), "\n") {
		var got strings.Builder
		for x := range 100 {
			cell := screen.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				got.WriteByte(' ')
				continue
			}
			got.WriteString(cell.Content)
		}
		if got.String() != want {
			t.Errorf("row %d shows %q, want %q", y, got.String(), want)
		}
	}
}

// TestASignatureThatTheReferenceTold replaces the empty place that a session began with.
func TestASignatureThatTheReferenceTold(t *testing.T) {
	t.Parallel()
	task := tasks.Task{ID: "mine/negate", Title: "Negate", Reference: "class Model:\n    pass"}
	r := newRefine(theme.New(term.Profile{}), 1, task.Title)
	r.pin(agent.Pin(task))
	task.Signature.Outputs = []tasks.Tensor{{Name: "out", DType: tasks.Float32, Shape: []string{"8"}}}
	pinned := agent.Pin(task)
	r.apply([]agent.Event{{Kind: agent.KindTaskPinned, Data: &pinned}}, time.Time{})
	if got := strings.Join(r.text.signature, "\n"); got != "extern \"C\" void solve(\n    float* out,\n    cudaStream_t stream)" {
		t.Errorf("the screen shows %q", got)
	}
}
