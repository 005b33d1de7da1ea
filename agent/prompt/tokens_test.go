package prompt

import "testing"

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		want int
	}{
		{"empty", "", 0},
		{"one letter", "a", 1},
		{"seven letters", "abcdefg", 2},
		{"other scripts count each", "äöü", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Tokens(tt.text); got != tt.want {
				t.Errorf("Tokens(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	messages := []Message{{"user", "abcdefg"}, {"user", "abcdefg"}} // estimated as 4
	for _, tt := range []struct {
		name  string
		scale Scale
		want  int
	}{
		{"nothing is known", Scale{}, 4},
		{"the server counts more", Scale{Estimate: 10, Counted: 15}, 6},
		{"rounded up", Scale{Estimate: 3, Counted: 4}, 6},
		{"the server counts less", Scale{Estimate: 10, Counted: 5}, 2},
		{"a count of nothing says nothing", Scale{Estimate: 10}, 4},
		{"a count of the prompt itself", ScaleOf(messages, 7), 7},
		{"a count that is too low to be one", ScaleOf(messages, 1), 2},
		{"a count that is too high to be one", ScaleOf(messages, 1000), 8},
		{"no count", ScaleOf(messages, 0), 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.scale.Of(messages); got != tt.want {
				t.Errorf("%+v: %d tokens, want %d", tt.scale, got, tt.want)
			}
		})
	}
}
