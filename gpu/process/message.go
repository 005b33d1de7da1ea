package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// The bounds of a message. A program that exceeds one has failed.
const (
	headerBytes = 8
	maxBody     = 64 << 10
	maxLines    = 1024
)

// RequestType says what a message asks of a program.
type RequestType uint32

// Every program takes the first four; package device says what Time is.
const (
	Load RequestType = iota + 1
	Map
	Call
	Exit
	Time
)

// Types of messages from a program.
const (
	typeHello uint32 = iota + 1
	typeOK
	typeFault
)

// Request is one message to a program.
type Request struct {
	Type  RequestType
	Lines []string   // of tab-separated fields
	Files []*os.File // whose descriptors travel along
}

// encode writes header and body, or says why no program could read them.
func (r Request) encode() ([]byte, error) {
	body := ""
	if len(r.Lines) > 0 {
		body = strings.Join(r.Lines, "\n") + "\n"
	}
	if strings.Count(body, "\n") != len(r.Lines) {
		return nil, errors.New("a field of the request has a line break")
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("a request of %d bytes: more than %d", len(body), maxBody)
	}
	return frame(uint32(r.Type), body), nil
}

func frame(kind uint32, body string) []byte {
	message := make([]byte, headerBytes, headerBytes+len(body))
	binary.LittleEndian.PutUint32(message, uint32(len(body)))
	binary.LittleEndian.PutUint32(message[4:], kind)
	return append(message, body...)
}

// message is one message of a program, split into lines of fields.
type message struct {
	kind  uint32
	lines [][]string
}

// malformed is a message that breaks the protocol.
type malformed struct{ why string }

func (m malformed) Error() string { return m.why }

// Malformedf is the error of a parser that [Exchange] was given: the program
// answered, but not with what can be an answer.
func Malformedf(format string, args ...any) error {
	return malformed{why: fmt.Sprintf(format, args...)}
}

// readMessage reads one message. An error that is no [malformed] comes from the
// reader; io.EOF, whole or within a message, means that the program went away.
func readMessage(r io.Reader) (message, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return message{}, ended(err)
	}
	size, kind := binary.LittleEndian.Uint32(header[:]), binary.LittleEndian.Uint32(header[4:])
	if kind < typeHello || kind > typeFault {
		return message{}, Malformedf("a message has the unknown type %d", kind)
	}
	if size > maxBody {
		return message{}, Malformedf("a message announces %d bytes, more than %d", size, maxBody)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return message{}, ended(err)
	}
	lines, err := SplitBody(string(body))
	return message{kind: kind, lines: lines}, err
}

func ended(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}

// SplitBody splits the body of a message into lines of fields.
func SplitBody(body string) ([][]string, error) {
	if body == "" {
		return nil, nil
	}
	if !utf8.ValidString(body) {
		return nil, Malformedf("a message is not UTF-8")
	}
	text, ok := strings.CutSuffix(body, "\n")
	if !ok {
		return nil, Malformedf("the last line of a message has no end")
	}
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		return nil, Malformedf("a message has %d lines, more than %d", len(lines), maxLines)
	}
	fields := make([][]string, len(lines))
	for i, line := range lines {
		fields[i] = strings.Split(line, "\t")
	}
	return fields, nil
}
