package keys

import (
	"slices"
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// Bar is the action bar of screen, exactly width cells wide. Actions in
// disabled, which says why for each, are dimmed, or left out where there is no
// colour to dim them with. When room is short the disabled go first, then the less
// important.
func Bar(screen Screen, width int, disabled map[Action]string, th theme.Theme) string {
	rows := barRows(screen)
	if th.Profile.Colour == term.NoColour {
		rows = slices.DeleteFunc(rows, func(b Binding) bool { _, off := disabled[b.Action]; return off })
	}
	rows = fitting(rows, width, disabled)
	parts := make([]string, len(rows))
	for i, b := range rows {
		if _, off := disabled[b.Action]; off {
			parts[i] = th.Dim.Render(label(b))
			continue
		}
		parts[i] = th.Key.Render(Name(b.Keys[0])) + " " + b.Short
	}
	return th.Fit(" "+strings.Join(parts, "  "), width)
}

func barRows(screen Screen) []Binding {
	var rows []Binding
	for _, b := range For(screen) {
		if b.Bar > 0 {
			rows = append(rows, b)
		}
	}
	return rows
}

// fitting drops rows, the last of the least important first, until the bar fits.
func fitting(rows []Binding, width int, disabled map[Action]string) []Binding {
	rank := func(b Binding) int {
		if _, off := disabled[b.Action]; off {
			return b.Bar - 100
		}
		return b.Bar
	}
	for len(rows) > 1 && barWidth(rows) > width {
		least := 0
		for i, b := range rows {
			if rank(b) <= rank(rows[least]) {
				least = i
			}
		}
		rows = append(rows[:least:least], rows[least+1:]...)
	}
	return rows
}

func barWidth(rows []Binding) int {
	width := 1
	for i, b := range rows {
		if i > 0 {
			width += 2
		}
		width += term.Width(label(b))
	}
	return width
}

func label(b Binding) string { return Name(b.Keys[0]) + " " + b.Short }

// Name is how a key is written for people.
func Name(key string) string {
	switch key {
	case " ":
		return "space"
	case "pgdown":
		return "pgdn"
	}
	return key
}

// Names is all keys of the binding as people read them.
func (b Binding) Names() string {
	names := make([]string, 0, len(b.Keys))
	for _, key := range b.Keys {
		if key != "alt+esc" { // what a fast double esc arrives as
			names = append(names, Name(key))
		}
	}
	return strings.Join(names, " ")
}
