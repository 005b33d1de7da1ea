package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestWhatIsSaidIsSafe prints errors that name what others wrote.
func TestWhatIsSaidIsSafe(t *testing.T) {
	t.Parallel()
	const hostile = "no task \x1b[2J\x1b]0;title\aof this name\u202e"
	for name, say := range map[string]func(*app){
		"an error":         func(a *app) { a.complain(hostile, exitUsage) },
		"an error as JSON": func(a *app) { a.flags.json = true; a.complain(hostile, exitUsage) },
		"a remark":         func(a *app) { a.say("%s", hostile) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			say(&app{streams: &streams{err: &out}})
			if text := out.String(); !strings.Contains(text, "of this name") || strings.ContainsAny(text, "\x1b\a") {
				t.Errorf("printed %q", text)
			}
		})
	}
}
