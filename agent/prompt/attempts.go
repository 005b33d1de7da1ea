package prompt

import (
	"fmt"
	"strings"
)

// Attempts counts the earlier attempts that a prompt of a set that is built in
// tells of, those left out included: replies of the assistant in a chat, headings
// where one message tells of all.
func Attempts(messages []Message) int {
	replies, headings, dropped := 0, 0, 0
	for _, m := range messages {
		if m.Role == "assistant" {
			replies++
			continue
		}
		for line := range strings.Lines(m.Content) {
			var n int
			if _, err := fmt.Sscanf(line, "### Attempt %d", &n); err == nil {
				headings++
			}
			if _, rest, ok := strings.Cut(line, "oldest first. The first "); ok {
				if _, err := fmt.Sscanf(rest, "%d of them are left out", &n); err == nil {
					dropped = n
				}
			}
		}
	}
	if replies > 0 {
		headings = 0 // words of a person or a compiler
	}
	return replies + headings + dropped
}
