package prompt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// header is the line above a message where a prompt is written out. Backslashes
// before it make it text.
var header = regexp.MustCompile(`^(\\*)>>> (system|user|assistant)$`)

// Text writes a prompt for a person to read and to edit: its words alone if it is
// one message of the user, else each message below a line such as ">>> system".
// [Parse] gives the same messages again.
func Text(messages []Message) string {
	if len(messages) == 1 && messages[0].Role == "user" && !slices.ContainsFunc(lines(messages[0].Content), header.MatchString) {
		return messages[0].Content + "\n"
	}
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(">>> " + m.Role + "\n")
		for _, line := range lines(m.Content) {
			if header.MatchString(line) {
				b.WriteString(`\`)
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Parse reads a prompt that was written as [Text] does.
func Parse(text string) ([]Message, error) {
	all := lines(strings.TrimSuffix(text, "\n"))
	if !slices.ContainsFunc(all, isHeader) {
		return []Message{{Role: "user", Content: strings.TrimSuffix(text, "\n")}}, nil
	}
	var messages []Message
	var content []string
	finish := func() {
		if n := len(messages); n > 0 {
			messages[n-1].Content = strings.Join(content, "\n")
		}
		content = nil
	}
	for n, line := range all {
		found := header.FindStringSubmatch(line)
		switch {
		case found != nil && found[1] == "":
			finish()
			messages = append(messages, Message{Role: found[2]})
		case len(messages) == 0 && strings.TrimSpace(line) != "":
			return nil, fmt.Errorf("line %d of the prompt stands before the first role: begin with a line %q", n+1, ">>> user")
		case found != nil:
			content = append(content, strings.TrimPrefix(line, `\`))
		default:
			content = append(content, line)
		}
	}
	finish()
	return messages, nil
}

func isHeader(line string) bool {
	found := header.FindStringSubmatch(line)
	return found != nil && found[1] == ""
}

func lines(text string) []string { return strings.Split(text, "\n") }
