package keys

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/x/ansi"
)

func everyScreen() []Screen {
	return []Screen{Browse, Refine, Diff, Runs, Help, Prompt, Confirm, Editor, Choice}
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	t.Parallel()
	for _, screen := range everyScreen() {
		owner := map[string]Action{}
		for _, b := range For(screen) {
			for _, key := range b.Keys {
				if other, taken := owner[key]; taken {
					t.Errorf("on %s, %q means both %s and %s", screen, key, other, b.Action)
				}
				owner[key] = b.Action
			}
		}
	}
}

func TestNoActionIsListedTwice(t *testing.T) {
	t.Parallel()
	for _, screen := range everyScreen() {
		seen := map[Action]bool{}
		for _, b := range For(screen) {
			if seen[b.Action] {
				t.Errorf("on %s, %s is listed twice", screen, b.Action)
			}
			seen[b.Action] = true
		}
	}
}

func TestRowsAreComplete(t *testing.T) {
	t.Parallel()
	for _, b := range table() {
		if b.Action == "" || len(b.Keys) == 0 || b.Short == "" || b.Long == "" || b.On == 0 || !slices.Contains(groups(), b.Group) {
			t.Errorf("incomplete row: %+v", b)
		}
	}
}

// What a row says must fit beside its keys in a column of the overlay.
func TestLongIsShortEnough(t *testing.T) {
	t.Parallel()
	for _, b := range table() {
		if term.Width(b.Long) > helpColumn-helpKeyWidth-2 || term.Width(b.Names()) > helpKeyWidth {
			t.Errorf("%s does not fit: %q, %q", b.Action, b.Names(), b.Long)
		}
	}
}

// Multiplexers and flow control take these before a program sees them.
func TestNoKeyThatTerminalsKeep(t *testing.T) {
	t.Parallel()
	for _, b := range table() {
		for _, key := range b.Keys {
			if slices.Contains([]string{"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q"}, key) {
				t.Errorf("%s is on %s", b.Action, key)
			}
		}
	}
}

func TestTextFieldsLeaveTextAlone(t *testing.T) {
	t.Parallel()
	for _, b := range slices.Concat(For(Prompt), For(Editor), For(Choice)) {
		for _, key := range b.Keys {
			if len([]rune(key)) == 1 {
				t.Errorf("%s takes %q away from text fields", b.Action, key)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		screen Screen
		key    string
		want   Action
	}{
		{"next turn", Refine, "n", Next},
		{"next hunk", Diff, "n", HunkNext},
		{"no to a question", Confirm, "n", No},
		{"enter keeps a question unanswered", Confirm, "enter", No},
		{"a fast double esc", Refine, "alt+esc", Close},
		{"arrow", Browse, "down", Down},
		{"space", Refine, " ", PageDown},
		{"interrupt in a text field", Prompt, "ctrl+c", Interrupt},
		{"a letter in a text field", Prompt, "n", ""},
		{"not on this screen", Browse, "a", ""},
		{"unknown", Refine, "ctrl+f12", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := Lookup(test.screen, test.key)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("Lookup(%s, %q) = %q, %v, want %q", test.screen, test.key, got, ok, test.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if b, ok := Find(Refine, Accept); !ok || b.Keys[0] != "a" {
		t.Errorf("Find(Refine, Accept) = %+v, %v", b, ok)
	}
	if _, ok := Find(Browse, Accept); ok {
		t.Error("accept was found among the tasks")
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	busy := map[Action]string{Next: "a turn is running", Accept: "a turn is running"}
	tests := []struct {
		name     string
		screen   Screen
		width    int
		disabled map[Action]string
		want     string
	}{
		{"wide", Browse, 80, nil, " enter open  t runs  s sort  / filter  v preview  tab pane  ? help  q quit"},
		{"narrow", Browse, 48, nil, " enter open  t runs  s sort  / filter  ? help"},
		{"help stays", Browse, 9, nil, " ? help"},
		{"one key of room", Browse, 3, nil, " ?…"},
		{"none", Browse, 0, nil, ""},
		{"question", Confirm, 30, nil, " y yes  n no"},
		{"disabled go first", Refine, 60, busy, " h hint  e edit  r retry  b branch  x stop  d diff  ? help"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Bar(test.screen, test.width, test.disabled, th)
			if want := term.Fit(test.want, test.width); got != want {
				t.Errorf("Bar = %q\n      want %q", got, want)
			}
		})
	}
}

func TestBarIsExactlyAsWide(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{Colour: term.TrueColour})
	for _, screen := range everyScreen() {
		for width := 0; width < 220; width += 3 {
			if got := term.Width(Bar(screen, width, map[Action]string{Stop: "idle"}, th)); got != width {
				t.Errorf("%s: bar of %d cells, want %d", screen, got, width)
			}
		}
	}
}

func TestDisabledIsDimmedWhole(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{Colour: term.Colour16})
	bar := Bar(Refine, 280, map[Action]string{Stop: "nothing runs"}, th)
	if !strings.Contains(bar, th.Dim.Render("x stop")) {
		t.Errorf("stop is not dimmed in %q", bar)
	}
}

func TestAReasonOfManyIsSaidOnce(t *testing.T) {
	t.Parallel()
	const reason = "the session has ended"
	for name, c := range map[string]struct {
		off  []Action
		want int
	}{
		"one":       {[]Action{Next}, 1},
		"three":     {[]Action{Next, Hint, Edit}, 3},
		"many":      {[]Action{Next, Hint, Edit, Retry, Branch}, 1},
		"of groups": {[]Action{Next, Hint, Edit, Retry, DiffBest}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			off := map[Action]string{Stop: "nothing is running"}
			for _, a := range c.off {
				off[a] = reason
			}
			text := strings.Join(Overlay(Refine, 118, "", off, theme.New(term.Profile{Colour: term.Colour16})), "\n")
			if got := strings.Count(text, reason); got != c.want {
				t.Errorf("said %d times, want %d:\n%s", got, c.want, text)
			}
			if !strings.Contains(text, "stop (nothing is running)") {
				t.Error("a reason of its own is not said")
			}
		})
	}
}

// Without colour nothing is dimmed: what cannot be done must show in words.
func TestDisabledShowsWithoutColour(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	off := map[Action]string{}
	for _, a := range []Action{Next, Hint, Edit, Retry, Branch} {
		off[a] = "the session has ended"
	}
	bar := Bar(Refine, 280, off, th)
	if strings.Contains(bar, "n next") || !strings.Contains(bar, "a accept") {
		t.Errorf("the bar offers what cannot be done, or not what can: %q", bar)
	}
	text := strings.Join(Overlay(Refine, 118, "", off, th), "\n")
	if got := strings.Count(text, "(the session has ended)"); got != len(off) {
		t.Errorf("%d rows of help say why, want %d:\n%s", got, len(off), text)
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	sections := Sections(Refine, "")
	keys := func(rows []Binding) (n int) {
		for _, b := range rows {
			n += len(b.Keys)
		}
		return n
	}
	total := 0
	for _, s := range sections {
		total += keys(s.Rows)
	}
	if total != keys(For(Refine)) || sections[0].Group != Run {
		t.Errorf("%d of %d keys, %s first", total, keys(For(Refine)), sections[0].Group)
	}
	if panes := Sections(Refine, "of that number"); len(panes) != 1 || panes[0].Rows[0].Names() != "1 2 3 4 5" {
		t.Errorf("the panes are listed as %+v", panes)
	}
	found := Sections(Refine, " HINT ")
	if len(found) != 1 || found[0].Rows[0].Action != Hint {
		t.Errorf("searching for hint finds %+v", found)
	}
	if none := Sections(Refine, "zzz"); len(none) != 0 {
		t.Errorf("searching for zzz finds %+v", none)
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	for _, screen := range everyScreen() {
		for _, width := range []int{1, 20, 60, 80, 119, 120, 121, 160, 200} {
			rows := Overlay(screen, width, "", nil, th)
			text := strings.Join(rows, "\n")
			for _, row := range rows {
				if term.Width(row) != width {
					t.Fatalf("%s at %d: row %q is %d cells wide", screen, width, row, term.Width(row))
				}
			}
			for _, b := range For(screen) {
				if width >= 160 && !strings.Contains(text, b.Long) {
					t.Errorf("%s at %d: %q is missing", screen, width, b.Long)
				}
			}
		}
	}
}

func TestOverlaySaysWhyNot(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{Colour: term.Colour16})
	rows := Overlay(Refine, 80, "accept", map[Action]string{Accept: "no correct kernel yet"}, th)
	text := strings.Join(rows, "\n")
	if !strings.Contains(ansi.Strip(text), "(no correct kernel yet)") {
		t.Errorf("the reason is missing:\n%s", text)
	}
	if rows := Overlay(Refine, 30, "zzz", nil, th); !strings.Contains(rows[0], "no key matches zzz") {
		t.Errorf("nothing found is shown as %q", rows)
	}
}

const docs = "../../docs/keys.md"

var update = flag.Bool("update", false, "write docs/keys.md from the key table")

func TestDocs(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile(docs, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil || string(got) != Markdown() {
		t.Errorf("docs/keys.md is not the key table (%v): run go test ./ui/keys -update", err)
	}
}
