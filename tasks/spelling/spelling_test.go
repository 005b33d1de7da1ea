package spelling

import "testing"

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abd", 1},
		{"abc", "ab", 1}, {"abc", "acb", 1}, {"tempreature", "temperature", 1}, {"kitten", "sitting", 3},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"temperature", "top_p", "theme"}
	for word, want := range map[string]string{
		"tempreature": `, did you mean "temperature"?`,
		"topp":        `, did you mean "top_p"?`,
		"whatever":    "",
	} {
		if got := DidYouMean(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
