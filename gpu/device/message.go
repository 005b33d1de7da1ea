package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a message. A worker that exceeds one has failed.
const (
	headerBytes = 8
	maxBody     = 64 << 10
	maxLines    = 1024
	maxText     = 2000 // characters of one field
)

// Types of messages from the judge.
const (
	typeLoad uint32 = iota + 1
	typeMap
	typeCall
	typeExit
	typeTime
)

// Types of messages from the worker.
const (
	typeHello uint32 = iota + 1
	typeOK
	typeFault
)

// malformed is a message that breaks the protocol.
type malformed struct{ why string }

func (m malformed) Error() string { return m.why }

func malformedf(format string, args ...any) error {
	return malformed{why: fmt.Sprintf(format, args...)}
}

// encode writes header and body of one message.
func encode(kind uint32, lines ...string) []byte {
	body := ""
	if len(lines) > 0 {
		body = strings.Join(lines, "\n") + "\n"
	}
	message := make([]byte, headerBytes, headerBytes+len(body))
	binary.LittleEndian.PutUint32(message, uint32(len(body)))
	binary.LittleEndian.PutUint32(message[4:], kind)
	return append(message, body...)
}

// message is one message of the worker, split into lines of fields.
type message struct {
	kind  uint32
	lines [][]string
}

// readMessage reads one message. io.EOF, whole or within a message, means that the
// worker went away.
func readMessage(r io.Reader) (message, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return message{}, ended(err)
	}
	size, kind := binary.LittleEndian.Uint32(header[:]), binary.LittleEndian.Uint32(header[4:])
	if kind < typeHello || kind > typeFault || size > maxBody {
		return message{}, malformedf("a message of type %d announces %d bytes", kind, size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return message{}, ended(err)
	}
	lines, err := splitBody(string(body))
	return message{kind: kind, lines: lines}, err
}

func ended(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}

func splitBody(body string) ([][]string, error) {
	if body == "" {
		return nil, nil
	}
	text, ok := strings.CutSuffix(body, "\n")
	if !ok || !utf8.ValidString(body) {
		return nil, malformedf("a message is no text of whole lines in UTF-8")
	}
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		return nil, malformedf("a message has %d lines, more than %d", len(lines), maxLines)
	}
	fields := make([][]string, len(lines))
	for i, line := range lines {
		fields[i] = strings.Split(line, "\t")
	}
	return fields, nil
}

// fieldReader takes the fields of one line in order and remembers whether one was
// missing or malformed.
type fieldReader struct {
	fields []string
	bad    bool
}

func (r *fieldReader) complete() bool { return !r.bad && len(r.fields) == 0 }

func (r *fieldReader) text() string {
	if len(r.fields) == 0 {
		r.bad = true
		return ""
	}
	field := r.fields[0]
	r.fields = r.fields[1:]
	return clean(field)
}

// count reads a whole number from 0 to 2^53, which JSON carries exactly.
func (r *fieldReader) count() int64 {
	n, err := strconv.ParseInt(r.text(), 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		r.bad = true
		return 0
	}
	return n
}

func (r *fieldReader) point() [3]int64 { return [3]int64{r.count(), r.count(), r.count()} }

// clean makes one line for a person of what a worker wrote: no control
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
