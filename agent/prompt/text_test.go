package prompt

import (
	"slices"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		messages []Message
		text     string
	}{
		{"one message of the user is its words", []Message{{"user", "a\nb"}}, "a\nb\n"},
		{"roles", []Message{{"system", "s"}, {"user", "u"}}, ">>> system\ns\n>>> user\nu\n"},
		{"an empty reply", []Message{{"user", "u"}, {"assistant", ""}}, ">>> user\nu\n>>> assistant\n\n"},
		{"words that look like a role", []Message{{"user", "x\n>>> user\ny"}}, ">>> user\nx\n\\>>> user\ny\n"},
		{"words that look like those", []Message{{"user", "\\>>> user"}}, ">>> user\n\\\\>>> user\n"},
		{"another role is text", []Message{{"user", ">>> tool"}}, ">>> tool\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Text(tt.messages); got != tt.text {
				t.Errorf("Text = %q, want %q", got, tt.text)
			}
			if got, err := Parse(tt.text); err != nil || !slices.Equal(got, tt.messages) {
				t.Errorf("Parse = %q, %v, want %q", got, err, tt.messages)
			}
		})
	}
}

func TestParseRefusesTextBeforeTheFirstRole(t *testing.T) {
	t.Parallel()
	_, err := Parse("\nhello\n>>> user\nx\n")
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}

// FuzzText holds that what is written out is read back as it was.
func FuzzText(f *testing.F) {
	f.Add("task", "reply", ">>> user", true)
	f.Add("", "\n", "\\>>> system\n\n", false)
	f.Add("a\r\nb", "```\n>>> assistant\n```", "\\\\>>> user", false)
	f.Fuzz(func(t *testing.T, first, second, third string, single bool) {
		messages := []Message{{"user", first}}
		if !single {
			messages = []Message{{"system", first}, {"assistant", second}, {"user", third}}
		}
		text := Text(messages)
		got, err := Parse(text)
		if err != nil || !slices.Equal(got, messages) {
			t.Errorf("%q was read back as %q, %v", messages, got, err)
		}
		if again := Text(got); again != text {
			t.Errorf("written out again: %q, want %q", again, text)
		}
	})
}

// FuzzParse holds that any text a person may leave is refused or kept.
func FuzzParse(f *testing.F) {
	f.Add("a\n>>> user\n")
	f.Add("\n>>> user\n\\>>> user")
	f.Fuzz(func(t *testing.T, text string) {
		messages, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Text(messages))
		if err != nil || !slices.Equal(again, messages) {
			t.Errorf("%q is %q, then %q (%v)", text, messages, again, err)
		}
	})
}
