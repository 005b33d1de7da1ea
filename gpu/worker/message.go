package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The bounds of a message. A worker that exceeds one has failed.
const (
	headerBytes = 8
	maxBody     = 64 << 10
	maxLines    = 1024
)

// Types of messages from the judge.
const (
	typeLoad uint32 = iota + 1
	typeMap
	typeCall
	typeExit
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

// readMessage reads one message. An error that is no [malformed] comes from the
// reader; io.EOF, whole or within a message, means that the worker went away.
func readMessage(r io.Reader) (message, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return message{}, ended(err)
	}
	size, kind := binary.LittleEndian.Uint32(header[:]), binary.LittleEndian.Uint32(header[4:])
	if kind < typeHello || kind > typeFault {
		return message{}, malformedf("a message has the unknown type %d", kind)
	}
	if size > maxBody {
		return message{}, malformedf("a message announces %d bytes, more than %d", size, maxBody)
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
	if !utf8.ValidString(body) {
		return nil, malformedf("a message is not UTF-8")
	}
	text, ok := strings.CutSuffix(body, "\n")
	if !ok {
		return nil, malformedf("the last line of a message has no end")
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
