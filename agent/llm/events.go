package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds one line of a stream, and a reply that comes in one piece.
const maxLine = 16 << 20

// events reads the body of a response and gives go-openai a plain event stream:
// one data line per chunk that says something, "[DONE]" at a good end, an *Error
// at any other. Comments, blank lines, unknown fields and tool calls are dropped.
type events struct {
	source *bufio.Reader
	host   string
	key    Key
	json   bool // the response claims to be JSON, not a stream

	out      bytes.Buffer
	event    string // name of the event whose data comes next
	finished bool   // a finish reason or [DONE] was seen
	err      error  // given once out is empty
}

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.advance()
	}
	return e.out.Read(p)
}

// advance takes one line, or the whole object.
func (e *events) advance() {
	if e.json && e.startsObject() {
		body, err := io.ReadAll(io.LimitReader(e.source, maxLine))
		e.data(string(body))
		e.end(err)
		return
	}
	line, err := readLine(e.source)
	e.line(strings.TrimSpace(line))
	if err != nil {
		e.end(err)
	}
}

// startsObject distrusts the content type: some servers label a stream as JSON.
func (e *events) startsObject() bool {
	e.json = false
	first, err := e.source.Peek(1)
	return err == nil && first[0] == '{'
}

var errLongLine = errors.New("a line of the stream is too long")

func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return "", errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return string(line), err
		}
	}
}

// end closes the stream, well or not, unless an error already did. What breaks
// after the finish reason costs at most the count of tokens.
func (e *events) end(err error) {
	switch {
	case e.err != nil:
	case e.finished:
		e.out.WriteString("data: [DONE]\n")
		e.err = io.EOF
	case err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		e.err = &Error{Kind: KindCut, Cause: fmt.Sprintf("model endpoint %s closed the stream before the reply's end", e.host),
			Next: "retry the turn", again: true}
	default:
		e.err = &Error{Kind: KindCut, Cause: fmt.Sprintf("the stream of model endpoint %s broke off: %s", e.host, scrub(err.Error(), e.key)),
			Next: "retry the turn", again: true}
	}
}

// line takes one trimmed line of an event stream.
func (e *events) line(line string) {
	if line == "" {
		e.event = ""
		return
	}
	if strings.HasPrefix(line, "{") { // some servers write errors without a field
		if json.Valid([]byte(line)) {
			e.data(line)
		}
		return
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch field {
	case "event":
		e.event = value
	case "data":
		e.data(value)
	case "error":
		e.fail(value)
	}
}

// data takes the data of one event.
func (e *events) data(value string) {
	switch {
	case e.err != nil || value == "":
		return
	case value == "[DONE]":
		e.finished = true
		e.end(nil)
		return
	case e.event == "error":
		e.fail(value)
		return
	}
	var c chunk
	if err := json.Unmarshal([]byte(value), &c); err != nil {
		e.fail("a chunk is not what the protocol says: " + err.Error())
		return
	}
	if message, ok := c.failure(); ok {
		e.fail(message)
		return
	}
	e.emit(c)
}

func (e *events) fail(text string) {
	if e.err == nil {
		e.err = streamError(e.host, scrub(errorMessage([]byte(text)), e.key))
	}
}

// emit writes a chunk again, with only what go-openai shall see.
func (e *events) emit(c chunk) {
	response, ok := c.normal()
	if !ok {
		return
	}
	for _, choice := range response.Choices {
		e.finished = e.finished || choice.Finish != ""
	}
	line, err := json.Marshal(response)
	if err != nil {
		e.fail("a chunk cannot be written again: " + err.Error())
		return
	}
	e.out.WriteString("data: ")
	e.out.Write(line)
	e.out.WriteByte('\n')
}
