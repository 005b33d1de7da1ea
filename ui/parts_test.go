package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/code"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

func turnsOf(parents ...int) []*agent.Turn {
	turns := make([]*agent.Turn, len(parents))
	for i, p := range parents {
		turns[i] = &agent.Turn{Number: i + 1, TurnStarted: agent.TurnStarted{Parent: p}}
	}
	return turns
}

func TestTreeIndentsOnlyBranches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parents []int
		want    string
	}{
		"none":             {nil, ""},
		"a straight line":  {[]int{0, 1, 2}, "1 2 3"},
		"one branch":       {[]int{0, 1, 1}, "1 F2 L3"},
		"a branch goes on": {[]int{0, 1, 1, 2, 3}, "1 F2 P4 L3 N5"},
		"branch in branch": {[]int{0, 1, 1, 2, 2}, "1 F2 PF4 PL5 L3"},
		"two roots":        {[]int{0, 0, 2}, "F1 L2 N3"},
		"a parent unknown": {[]int{0, 9}, "F1 L2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, row := range growTree(turnsOf(c.parents...)) {
				text := ""
				for _, s := range row.stem {
					text += [...]string{"N", "P", "F", "L"}[s]
				}
				got = append(got, text+string(rune('0'+row.turn.Number)))
			}
			if joined := strings.Join(got, " "); joined != c.want {
				t.Errorf("got %q, want %q", joined, c.want)
			}
		})
	}
}

func TestSparklineIsLogarithmic(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{ASCII: true})
	speed := func(values ...float64) []bar {
		var bars []bar
		for _, v := range values {
			bars = append(bars, bar{speedup: v, failed: v < 0})
		}
		return bars
	}
	for name, c := range map[string]struct {
		bars []bar
		w    int
		want string
	}{
		"doublings rise evenly":  {speed(1, 2, 4, 8), 60, "_.=#  1.00x to 8.00x, log scale"},
		"a failure is a cross":   {speed(1, -1, 8), 60, "_x#  1.00x to 8.00x, log scale"},
		"pending is a dot":       {speed(1, 0), 60, "_|  1.00x"},
		"noise is not stretched": {speed(1, 1.02, 1.01), 60, "___  1.00x to 1.02x, log scale"},
		"the newest stay":        {speed(1, -1, -1, 8, 8), 3, "x##"},
		"nothing":                {nil, 60, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sparkline(th, c.bars, c.w); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// An interval has the units that its median has not named.
func TestTimeRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		median, low, high float64
		want              string
	}{
		{41.2, 41.1, 41.4, "41.1 to 41.4"},
		{999, 998, 1002, "998 us to 1.00 ms"},
		{1002, 998, 1004, "998 us to 1.00 ms"},
		{1200, 1190, 1210, "1.19 to 1.21"},
	} {
		v := verdictView{Theme: theme.New(term.Profile{}), w: 80}
		v.timeRow("this kernel", gpu.Timing{MedianUS: c.median, CI95US: &[2]float64{c.low, c.high}}, "")
		if !strings.HasSuffix(v.rows[0], "  "+c.want) {
			t.Errorf("%q, want %q", v.rows[0], c.want)
		}
	}
}

func TestRatesAndOccupancy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{formatRates(733, 4150), "0.733 of 4.15 TB/s"}, {formatRates(96.4, 288), "96.4 of 288 GB/s"},
		{occupancy(0.125, "registers"), "occupancy 12.5%, limited by registers"}, {occupancy(1, "threads"), "occupancy 100%"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestCompareAgreesWithUnifiedDiff(t *testing.T) {
	t.Parallel()
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
	for name, c := range map[string]struct {
		after          string
		ignoreSpace    bool
		added, removed int
		hunks          int
	}{
		"same":            {before, false, 0, 0, 0},
		"one changed":     {strings.Replace(before, "c", "C", 1), false, 1, 1, 1},
		"two far apart":   {strings.Replace(strings.Replace(before, "a", "A", 1), "j", "J", 1), false, 2, 2, 2},
		"spaces":          {strings.Replace(before, "c", "  c ", 1), false, 1, 1, 1},
		"spaces ignored":  {strings.Replace(before, "c", "  c ", 1), true, 0, 0, 0},
		"everything gone": {"", false, 0, 10, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := compare(before, c.after, fewLines, c.ignoreSpace)
			if err != nil {
				t.Fatal(err)
			}
			if got.added != c.added || got.removed != c.removed || len(got.hunks) != c.hunks {
				t.Errorf("got +%d -%d in %d hunks, want +%d -%d in %d", got.added, got.removed, len(got.hunks), c.added, c.removed, c.hunks)
			}
			if !c.ignoreSpace {
				bare, err := compare(before, c.after, 0, false) // all that udiff applies
				if err != nil {
					t.Fatal(err)
				}
				d := diff{result: bare, older: &agent.Turn{Number: 1}, newer: &agent.Turn{Number: 2}}
				back, err := udiff.ApplyUnified(d.patch("kernel.cu"), before)
				if err != nil || back != c.after {
					t.Errorf("the patch leads to %q, %v", back, err)
				}
			}
		})
	}
}

func TestPairsSetChangesSideBySide(t *testing.T) {
	t.Parallel()
	c, err := compare("a\nold1\nold2\nz\n", "a\nnew\nz\n", fewLines, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pairRows(c.rows) {
		got = append(got, p.left.text+"|"+p.right.text)
	}
	if want := []string{"|", "a|a", "old1|new", "old2|", "z|z"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPaperWrapsAsTheWholeWould(t *testing.T) {
	t.Parallel()
	text := "One line that is longer than the width.\n\n  indented\x1b[31m red\nand a last one that is open still"
	whole := paper{width: 16}
	whole.write(text)
	for piece := 1; piece < 9; piece++ {
		p := paper{width: 7}
		for rest := text; rest != ""; {
			n := min(piece, len(rest))
			p.write(rest[:n])
			rest = rest[n:]
		}
		p.fit(16)
		if got, want := p.draw(0, p.size()), whole.draw(0, whole.size()); !slices.Equal(got, want) {
			t.Errorf("pieces of %d: got %q, want %q", piece, got, want)
		}
		if got, want := p.lastRows(2, 16), whole.draw(whole.size()-2, 2); !slices.Equal(got, want) {
			t.Errorf("pieces of %d: the last rows are %q, want %q", piece, got, want)
		}
	}
	if strings.Contains(whole.text(), "\x1b") {
		t.Error("an escape sequence got in")
	}
}

func TestScrollKeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := make(rows, 100)
	s := scroll{follow: true}
	if got := s.start(b, 10); got != 90 {
		t.Errorf("following starts at %d", got)
	}
	s.by(-5, b, 10)
	grown := make(rows, 130)
	if got := s.start(grown, 10); got != 85 {
		t.Errorf("after growth the top is %d, want 85", got)
	}
	if got := s.fresh(grown, 10); got != 30 {
		t.Errorf("%d new below, want 30", got)
	}
	s.move(keys.Top, grown, 10)
	s.move(keys.Up, grown, 10)
	if got := s.start(grown, 10); got != 0 {
		t.Errorf("above the top is %d", got)
	}
	s.move(keys.PageDown, grown, 10)
	if got := s.start(grown, 10); got != 8 {
		t.Errorf("a page down is %d, want 8", got)
	}
	s.reveal(60, grown, 10)
	if got := s.start(grown, 10); got != 57 {
		t.Errorf("line 60 is revealed from %d, want 57", got)
	}
	if got := s.start(b[:3], 10); got != 0 {
		t.Errorf("a body shorter than the window starts at %d", got)
	}
	s.move(keys.Bottom, grown, 10)
	if got := s.start(grown, 10); got != 120 {
		t.Errorf("the end starts at %d", got)
	}
}

func TestLayoutCoversItsArea(t *testing.T) {
	t.Parallel()
	for w := minWidth; w < 260; w += 7 {
		for h := minHeight - 2; h < 70; h += 5 {
			for p := paneTask; p <= panePrompt; p++ {
				tiles := arrange(rect{0, 1, w, h}, p, false, 8)
				cells, columns := 0, map[int]bool{}
				for _, tl := range tiles {
					cells += tl.w * tl.h
					columns[tl.x] = true
				}
				if want := (w - (len(columns) - 1)) * h; cells != want {
					t.Fatalf("%dx%d, pane %s: tiles cover %d cells, want %d", w, h, p, cells, want)
				}
			}
		}
	}
}

func TestFieldEdits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"types":                {[]string{"a", "b"}, "ab"},
		"inserts":              {[]string{"a", "c", "left", "b"}, "abc"},
		"deletes":              {[]string{"a", "b", "backspace"}, "a"},
		"deletes at start":     {[]string{"backspace", "a"}, "a"},
		"deletes a word":       {[]string{"one two", "ctrl+w"}, "one "},
		"deletes a line":       {[]string{"a", "b", "ctrl+u", "c"}, "c"},
		"control is not text":  {[]string{"a", "\x1b[31m", "b"}, "ab"},
		"a pasted line break":  {[]string{"a\rb"}, "a\nb"},
		"never more than fits": {[]string{strings.Repeat("x", 2*maxField)}, strings.Repeat("x", maxField)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newField(theme.New(term.Profile{}), "", 20, 2)
			for _, k := range c.keys {
				f.press(keyMsg(k))
			}
			if got := f.value(); got != c.want {
				t.Errorf("got %.40q, want %.40q", got, c.want)
			}
		})
	}
}

func TestFieldShowsItsCursorWithoutColours(t *testing.T) {
	t.Parallel()
	f := newField(theme.New(term.Profile{}), "write here", 10, 3)
	for _, text := range []string{"", "several words that wrap\nand a line"} {
		f.set(text)
		view := f.view()
		if len(view) != 3 {
			t.Fatalf("%q: %d rows, want 3", text, len(view))
		}
		if n := strings.Count(strings.Join(view, ""), "\x1b[7m"); n != 1 {
			t.Errorf("%q: %d cursors, want 1", text, n)
		}
		for _, row := range view {
			if term.Width(row) > 10 {
				t.Errorf("row %q is too wide", ansi.Strip(row))
			}
		}
	}
}

func TestEditorsOpenAtTheLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		editor string
		line   int
		want   []string
	}{
		"vim":       {"/usr/bin/vim", 12, []string{"+12", "k.cu"}},
		"helix":     {"hx", 12, []string{"k.cu:12"}},
		"no line":   {"vim", 0, []string{"k.cu"}},
		"any other": {"code", 12, []string{"k.cu"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := editorArguments(c.editor, "k.cu", c.line); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnswersAreNamedByTheirDialect(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[string]string{"cuda": "kernel.cu", "": "kernel.cu", "torch": "answer.py"} {
		r := &refine{}
		r.state.Session.Dialect = dialect
		if got := r.kernelFile(); got != want || (r.language() == code.Python) != (dialect == "torch") {
			t.Errorf("%q: %s in %s, want %s", dialect, got, r.language(), want)
		}
	}
}

// What is odd about a reply is listed; the line above must not say it again.
func TestAnUnusableReplyIsExplainedOnce(t *testing.T) {
	t.Parallel()
	const problem = "the reply has no fenced code block"
	for name, turn := range map[string]*agent.Turn{
		"cut off": {End: &agent.TurnEnded{Outcome: agent.OutcomeTruncated, Summary: "the reply was cut off: " + problem}},
		"parse":   {Verdict: &gpu.Verdict{Outcome: gpu.OutcomeParse, Summary: "no kernel in the reply: " + problem}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn.Phase, turn.Code = agent.PhaseDone, &agent.CodeExtracted{Problems: []string{problem}}
			th := theme.New(term.Profile{})
			verdict := strings.Join(verdictRows(th, turn, false, 60), "\n")
			kernel := strings.Join(newRefine(th, 1, "").noCode(turn, nil, 60).draw(0, 10), "\n")
			for pane, text := range map[string]string{"verdict": verdict, "kernel": kernel} {
				if n := strings.Count(text, problem); n != 1 {
					t.Errorf("the %s pane says it %d times:\n%s", pane, n, text)
				}
			}
		})
	}
}

// What the summary of a verdict says is not said again below it.
func TestAVerdictSaysNothingTwice(t *testing.T) {
	t.Parallel()
	const race, pattern = "thread (1,0,0) read what thread (0,0,0) wrote", "differs between schedules"
	turn := &agent.Turn{Phase: agent.PhaseDone, Verdict: &gpu.Verdict{
		Outcome: gpu.OutcomeMismatch, Summary: "incorrect: 3 of 9 elements of y are wrong, " + pattern + " (" + race + ")",
		Check: &gpu.Check{Wrong: 3, Total: 9, Pattern: pattern},
		Findings: []gpu.Finding{
			{Kind: "race", Severity: "error", Line: 10, Evidence: race},
			{Kind: "uninitialised", Severity: "warning", Line: 12, Evidence: "read before it was written"},
		},
	}}
	text := strings.Join(verdictRows(theme.New(term.Profile{}), turn, false, 200), "\n")
	for once, want := range map[string]int{race: 1, pattern: 1, "line 10: race": 1, "line 12: uninitialised": 1, "read before it was written": 1} {
		if got := strings.Count(text, once); got != want {
			t.Errorf("%q is said %d times:\n%s", once, got, text)
		}
	}
}
