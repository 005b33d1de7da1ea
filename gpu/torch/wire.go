package torch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/hone/gpu/process"
)

// MaxJSON bounds the object of one message, either way.
const MaxJSON = 60 << 10

// Request is a message of one JSON object.
func Request(kind process.RequestType, value any) (process.Request, error) {
	text, err := json.Marshal(value)
	if err == nil && len(text) > MaxJSON {
		err = fmt.Errorf("%d bytes, more than %d", len(text), MaxJSON)
	}
	if err != nil {
		return process.Request{}, fmt.Errorf("encode a request: %w", err)
	}
	return process.Request{Type: kind, Lines: []string{"json\t" + string(text)}}, nil
}

// Decode reads an answer of one JSON object into value, a pointer. Keys that value
// does not have, and whatever else is not as it should be, make the answer
// malformed; bounds on counts and sizes are the caller's to check.
func Decode(lines [][]string, value any) error {
	if len(lines) != 1 || len(lines[0]) != 2 || lines[0][0] != "json" || len(lines[0][1]) > MaxJSON {
		return process.Malformedf("an answer is not one line of JSON")
	}
	decoder := json.NewDecoder(strings.NewReader(lines[0][1]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return process.Malformedf("an answer has bad JSON: %s", oneLine(err.Error()))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return process.Malformedf("an answer has more than one JSON object")
	}
	return nil
}

// oneLine is the text's words in one line, bounded.
func oneLine(text string) string {
	const most = 500
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
