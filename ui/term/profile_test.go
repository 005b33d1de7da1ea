package term

import "testing"

func TestDetect(t *testing.T) {
	t.Parallel()
	type env map[string]string
	tests := []struct {
		name  string
		flags Flags
		env   env
		pipe  bool
		want  Profile
	}{
		{"nothing known", Flags{}, env{}, false, Profile{ASCII: true}},
		{"no locale, old terminal", Flags{}, env{"TERM": "vt100"}, false, Profile{Colour: Colour16, ASCII: true}},
		{"no locale, modern terminal", Flags{}, env{"TERM": "tmux-256color"}, false, Profile{Colour: Colour256}},
		{"basic", Flags{}, env{"TERM": "xterm", "LANG": "C.UTF-8"}, false, Profile{Colour: Colour16}},
		{"256", Flags{}, env{"TERM": "xterm-256color", "LANG": "C.UTF-8"}, false, Profile{Colour: Colour256}},
		{"true", Flags{}, env{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "de_DE.utf8"}, false,
			Profile{Colour: TrueColour}},
		{"kitty", Flags{}, env{"TERM": "xterm-kitty", "LANG": "C.UTF-8"}, false, Profile{Colour: TrueColour}},
		{"tmux", Flags{}, env{"TERM": "tmux-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}, false,
			Profile{Colour: TrueColour}},
		{"screen passes COLORTERM on", Flags{}, env{"TERM": "screen", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}, false,
			Profile{Colour: Colour256}},
		{"tmux as screen", Flags{},
			env{"TERM": "screen-256color", "TERM_PROGRAM": "tmux", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}, false,
			Profile{Colour: TrueColour}},
		{"NO_COLOR", Flags{}, env{"TERM": "xterm-256color", "NO_COLOR": "1", "LANG": "C.UTF-8"}, false, Profile{}},
		{"CLICOLOR", Flags{}, env{"TERM": "xterm-256color", "CLICOLOR": "0", "LANG": "C.UTF-8"}, false, Profile{}},
		{"dumb", Flags{}, env{"TERM": "dumb", "LANG": "C.UTF-8"}, false, Profile{ASCII: true}},
		{"pipe", Flags{}, env{"TERM": "xterm", "LANG": "C.UTF-8"}, true, Profile{}},
		{"forced pipe", Flags{}, env{"TERM": "xterm", "CLICOLOR_FORCE": "1", "LANG": "C.UTF-8"}, true,
			Profile{Colour: Colour16}},
		{"not forced by 0", Flags{}, env{"TERM": "xterm", "CLICOLOR_FORCE": "0", "LANG": "C.UTF-8"}, true, Profile{}},
		{"flag beats NO_COLOR", Flags{Colour: "true"}, env{"TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"}, false,
			Profile{Colour: TrueColour}},
		{"flag none", Flags{Colour: "none"}, env{"TERM": "xterm-kitty", "LANG": "C.UTF-8"}, false, Profile{}},
		{"light by COLORFGBG", Flags{}, env{"TERM": "xterm", "COLORFGBG": "0;default;15", "LANG": "C.UTF-8"}, false,
			Profile{Colour: Colour16, Light: true}},
		{"dark by flag", Flags{Theme: "dark"}, env{"TERM": "xterm", "COLORFGBG": "0;15", "LANG": "C.UTF-8"}, false,
			Profile{Colour: Colour16}},
		{"light by flag", Flags{Theme: "light"}, env{"TERM": "xterm", "LANG": "C.UTF-8"}, false,
			Profile{Colour: Colour16, Light: true}},
		{"ASCII by flag", Flags{ASCII: true}, env{"TERM": "xterm", "LANG": "C.UTF-8"}, false,
			Profile{Colour: Colour16, ASCII: true}},
		{"LC_ALL beats LANG", Flags{}, env{"TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C"}, false,
			Profile{Colour: Colour16, ASCII: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			getenv := func(name string) string { return test.env[name] }
			got, err := Detect(test.flags, getenv, !test.pipe)
			if err != nil || got != test.want {
				t.Errorf("Detect = %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestDetectRefusesUnknownWords(t *testing.T) {
	t.Parallel()
	for _, flags := range []Flags{{Theme: "solar"}, {Colour: "8"}} {
		if _, err := Detect(flags, func(string) string { return "" }, true); err == nil {
			t.Errorf("Detect(%+v) took an unknown word", flags)
		}
	}
}
