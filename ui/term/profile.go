package term

import (
	"fmt"
	"strings"
)

// Colour is how many colours a terminal shows.
type Colour int

// The colour depths, in order.
const (
	NoColour Colour = iota
	Colour16
	Colour256
	TrueColour
)

// Profile is what the terminal can show and how the person wants it. The
// program decides it once, at its start.
type Profile struct {
	Colour Colour
	Light  bool // a light background
	ASCII  bool // only ASCII glyphs
}

// Flags is what the person asked for on the command line or in the
// configuration. Zero values, and "auto", leave the choice to [Detect].
type Flags struct {
	Theme  string // auto, dark, light
	Colour string // auto, none, 16, 256, true
	ASCII  bool
}

// Detect decides the profile from flags, then environment variables (read
// through getenv), then what is usual. The terminal is never asked: some do not
// answer, and the wait would be seen.
func Detect(f Flags, getenv func(string) string, tty bool) (Profile, error) {
	p := Profile{
		Colour: environmentColour(getenv, tty),
		Light:  environmentLight(getenv),
		ASCII:  f.ASCII || !environmentUnicode(getenv),
	}
	switch f.Theme {
	case "", "auto":
	case "dark", "light":
		p.Light = f.Theme == "light"
	default:
		return p, fmt.Errorf("unknown theme %q: use auto, dark or light", f.Theme)
	}
	switch f.Colour {
	case "", "auto":
	case "none":
		p.Colour = NoColour
	case "16":
		p.Colour = Colour16
	case "256":
		p.Colour = Colour256
	case "true":
		p.Colour = TrueColour
	default:
		return p, fmt.Errorf("unknown colour depth %q: use auto, none, 16, 256 or true", f.Colour)
	}
	return p, nil
}

func environmentColour(getenv func(string) string, tty bool) Colour {
	name := getenv("TERM")
	forced := getenv("CLICOLOR_FORCE")
	force := forced != "" && forced != "0"
	switch {
	case getenv("NO_COLOR") != "":
		return NoColour
	case !force && (!tty || getenv("CLICOLOR") == "0" || name == "dumb" || name == ""):
		return NoColour
	}
	return max(Colour16, namedColour(name, getenv("COLORTERM"), getenv("TERM_PROGRAM")))
}

// namedColour reads the depth from the names a terminal gives itself. GNU
// screen passes an outer COLORTERM on without understanding true colour, while
// tmux, which may also call itself screen, does understand it.
func namedColour(name, colourTerm, program string) Colour {
	screen := strings.HasPrefix(name, "screen") && program != "tmux"
	switch {
	case (colourTerm == "truecolor" || colourTerm == "24bit") && !screen,
		strings.HasSuffix(name, "-direct"), name == "xterm-kitty", name == "xterm-ghostty":
		return TrueColour
	case strings.Contains(name, "256color"), colourTerm != "", screen:
		return Colour256
	}
	return Colour16
}

// environmentLight reads COLORFGBG, "foreground;background" in the 16-colour
// palette: the only hint about the background that costs no query.
func environmentLight(getenv func(string) string) bool {
	fields := strings.Split(getenv("COLORFGBG"), ";")
	last := fields[len(fields)-1]
	return len(fields) > 1 && (last == "7" || last == "15")
}

// environmentUnicode believes the locale. Where none is set, as in most
// containers, the terminal is outside and a modern one is taken to know UTF-8.
func environmentUnicode(getenv func(string) string) bool {
	name := getenv("TERM")
	if name == "dumb" {
		return false
	}
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(variable)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return namedColour(name, getenv("COLORTERM"), getenv("TERM_PROGRAM")) >= Colour256
}
