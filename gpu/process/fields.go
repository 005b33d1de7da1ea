package process

import (
	"strconv"
	"strings"
	"unicode"
)

const maxText = 2000 // characters of one field

// ReadLines goes through the lines of an answer. Take reads all fields of a line
// with the given first one, and says whether it knows such a line.
func ReadLines(lines [][]string, take func(key string, fields *Fields) bool) error {
	for _, line := range lines {
		fields := &Fields{left: line}
		if key := fields.Text(); !take(key, fields) {
			return Malformedf("an answer has the unknown line %q", key)
		}
		if fields.bad || fields.More() {
			return Malformedf("an answer has a bad line %q", clean(strings.Join(line, " ")))
		}
	}
	return nil
}

// Fields takes the fields of one line in order and remembers whether one was
// missing or malformed.
type Fields struct {
	left []string
	bad  bool
}

// More reports whether there are fields to take, and none was bad.
func (f *Fields) More() bool { return len(f.left) > 0 && !f.bad }

// Refuse has the whole line count as malformed.
func (f *Fields) Refuse() { f.bad = true }

func (f *Fields) next() string {
	if len(f.left) == 0 {
		f.bad = true
		return ""
	}
	field := f.left[0]
	f.left = f.left[1:]
	return field
}

// Text is one line for a person: without control characters, bounded.
func (f *Fields) Text() string { return clean(f.next()) }

// Count reads a whole number from 0 to 2^53, which JSON carries exactly.
func (f *Fields) Count() int64 {
	n, err := strconv.ParseInt(f.next(), 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		f.bad = true
		return 0
	}
	return n
}

// Point reads three counts.
func (f *Fields) Point() [3]int64 { return [3]int64{f.Count(), f.Count(), f.Count()} }

// clean makes one line for a person of what a program wrote: no control
// characters, no invisible ones, bounded.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "..."
	}
	return text
}
