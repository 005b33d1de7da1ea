package llm

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzEvents feeds any body: the normalised stream is data lines of valid JSON,
// ends with [DONE] and io.EOF or with an *Error, and does not depend on how the
// body was cut.
func FuzzEvents(f *testing.F) {
	f.Add(lines(said("a"), stop, done))
	f.Add(": c\n\ndata: {\"error\":{}}\nerror: x\nevent: error\ndata: y\n")
	f.Add("{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}")
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"\\ud800\"}}],\"usage\":{\"total_tokens\":1e3}}\r\ndata: [DONE]")
	f.Add("data: [[[")
	f.Fuzz(func(t *testing.T, body string) {
		whole, err := normalised(strings.NewReader(body))
		pieces, pieceErr := normalised(iotest.OneByteReader(strings.NewReader(body)))
		if whole != pieces || (err == nil) != (pieceErr == nil) {
			t.Fatalf("at once %q, %v\nin bytes %q, %v", whole, err, pieces, pieceErr)
		}
		rest, done := strings.CutSuffix(whole, "data: [DONE]\n")
		if done != (err == nil) {
			t.Errorf("[DONE] is there: %v, error %v", done, err)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.ContainsAny(e.Error(), "\n\x1b")) {
			t.Errorf("error %v", err)
		}
		for line := range strings.Lines(rest) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok || !json.Valid([]byte(data)) {
				t.Errorf("line %q", line)
			}
		}
	})
}

func normalised(body io.Reader) (string, error) {
	e := &events{source: bufio.NewReader(body), host: "h", key: "k", json: true}
	text, err := io.ReadAll(e)
	return string(text), err
}

func BenchmarkEvents(b *testing.B) {
	body := strings.Repeat(lines(said("a token")), 5000) + lines(stop, done)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := normalised(strings.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}
