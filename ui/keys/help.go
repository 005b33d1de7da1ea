package keys

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// Section is one group of the help overlay.
type Section struct {
	Group Group
	Rows  []Binding
}

func groups() []Group { return []Group{Run, Records, DiffOf, View, Move, Always} }

// Sections lists what is valid on screen, by group, as far as a row contains
// filter. Empty groups are left out.
func Sections(screen Screen, filter string) []Section {
	var sections []Section
	for _, g := range groups() {
		s := Section{Group: g}
		for _, b := range merged(For(screen)) {
			if b.Group == g && matches(b, filter) {
				s.Rows = append(s.Rows, b)
			}
		}
		if len(s.Rows) > 0 {
			sections = append(sections, s)
		}
	}
	return sections
}

// merged makes one row of neighbours that say the same, such as the panes.
func merged(rows []Binding) []Binding {
	var out []Binding
	for _, b := range rows {
		if n := len(out); n > 0 && out[n-1].Long == b.Long && out[n-1].On == b.On {
			out[n-1].Keys = slices.Concat(out[n-1].Keys, b.Keys)
			continue
		}
		out = append(out, b)
	}
	return out
}

func matches(b Binding, filter string) bool {
	text := strings.ToLower(b.Names() + " " + b.Short + " " + b.Long)
	return strings.Contains(text, strings.ToLower(strings.TrimSpace(filter)))
}

const (
	helpKeyWidth = 16
	helpColumn   = 59 // cells that one column of help wants
)

// Overlay lays the sections out in rows of exactly width cells, in two columns
// where there is room. A disabled action is dimmed and its reason is shown in
// place of what it does; a reason of many is said once, above them.
func Overlay(screen Screen, width int, filter string, disabled map[Action]string, th theme.Theme) []string {
	sections := Sections(screen, filter)
	if len(sections) == 0 {
		return []string{th.Dim.Render(th.Fit("no key matches "+filter, width))}
	}
	if width < 2*helpColumn {
		return column(sections, width, disabled, th)
	}
	left := (width - 2) / 2
	cut := balance(sections)
	return beside(
		column(sections[:cut], left, disabled, th), left,
		column(sections[cut:], width-2-left, disabled, th), width-2-left,
	)
}

// balance finds where to cut the sections so that two columns are about equal.
func balance(sections []Section) int {
	total := 0
	for _, s := range sections {
		total += len(s.Rows) + 2
	}
	sum := 0
	for i, s := range sections {
		if height := len(s.Rows) + 2; 2*sum+height > total {
			return max(i, 1)
		} else {
			sum += height
		}
	}
	return len(sections)
}

func column(sections []Section, width int, disabled map[Action]string, th theme.Theme) []string {
	var rows []string
	for i, s := range sections {
		if i > 0 {
			rows = append(rows, strings.Repeat(" ", width))
		}
		shared := ""
		if th.Profile.Colour != term.NoColour { // else nothing would show whom it is about
			shared = sharedReason(s, disabled)
		}
		rows = append(rows, th.Fit(th.Title.Render(term.Pad(string(s.Group), helpKeyWidth))+" "+th.Dim.Render(shared), width))
		for _, b := range s.Rows {
			rows = append(rows, helpRow(b, width, shared, disabled, th))
		}
	}
	return rows
}

// many is how many actions of a group make their reason worth saying above them.
const many = 4

// sharedReason is why many actions of a section are disabled, empty where there are
// not so many.
func sharedReason(s Section, disabled map[Action]string) string {
	count := map[string]int{}
	for _, b := range s.Rows {
		if reason, off := disabled[b.Action]; off {
			if count[reason]++; count[reason] == many {
				return reason
			}
		}
	}
	return ""
}

func helpRow(b Binding, width int, shared string, disabled map[Action]string, th theme.Theme) string {
	key := term.Pad(b.Names(), helpKeyWidth)
	reason, off := disabled[b.Action]
	if off && reason == shared {
		return th.Dim.Render(th.Fit(key+" "+b.Long, width))
	}
	if off {
		return th.Dim.Render(th.Fit(fmt.Sprintf("%s %s (%s)", key, b.Short, reason), width))
	}
	return th.Fit(th.Key.Render(key)+" "+b.Long, width)
}

func beside(left []string, leftWidth int, right []string, rightWidth int) []string {
	rows := make([]string, max(len(left), len(right)))
	at := func(column []string, i, width int) string {
		if i < len(column) {
			return column[i]
		}
		return strings.Repeat(" ", max(0, width))
	}
	for i := range rows {
		rows[i] = at(left, i, leftWidth) + "  " + at(right, i, rightWidth)
	}
	return rows
}

// Markdown is the table of all keys for docs/keys.md.
func Markdown() string {
	var out strings.Builder
	out.WriteString("# Keys\n\n" +
		"Made from the key table in ui/keys; `?` shows the part that is valid on a screen.\n" +
		"On every screen esc only closes, stopping takes the same key twice, and what cannot\n" +
		"be undone asks with another key than the one that started it.\n")
	for _, g := range groups() {
		fmt.Fprintf(&out, "\n## %s\n\n| key | does | where |\n|---|---|---|\n", g)
		for _, b := range merged(table()) {
			if b.Group == g {
				fmt.Fprintf(&out, "| %s | %s | %s |\n", markdownKeys(b), b.Long, where(b.On))
			}
		}
	}
	return out.String()
}

func markdownKeys(b Binding) string {
	return "`" + strings.ReplaceAll(b.Names(), " ", "` `") + "`"
}

func where(on Screen) string {
	switch on {
	case all:
		return "everywhere"
	case screens, screens | Help:
		return "all screens"
	}
	var names []string
	for s := Browse; s <= Choice; s <<= 1 {
		if on&s != 0 {
			names = append(names, s.String())
		}
	}
	return strings.Join(names, ", ")
}
