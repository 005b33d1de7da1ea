package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/hone/agent"
)

// examples are the lines of the block of JSON below a heading of docs/formats.md.
func examples(t *testing.T, heading string) []json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("../../docs/formats.md")
	must(t, err)
	_, section, _ := strings.Cut(string(text), "\n### "+heading+"\n")
	_, block, _ := strings.Cut(section, "\n```json\n")
	block, _, found := strings.Cut(block, "\n```\n")
	if !found {
		t.Fatalf("docs/formats.md has no block of JSON below %q", heading)
	}
	var lines []json.RawMessage
	for dec := json.NewDecoder(strings.NewReader(block)); ; {
		var line json.RawMessage
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatalf("example %d of %q: %v", len(lines)+1, heading, err)
		}
		lines = append(lines, line)
	}
}

// strictly decodes what has no field that v lacks.
func strictly(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// kinds are the events that agent/event.go declares.
func kinds(t *testing.T) []agent.Kind {
	t.Helper()
	source, err := os.ReadFile("../event.go")
	must(t, err)
	var all []agent.Kind
	for _, found := range regexp.MustCompile(`Kind\w+ +Kind = "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		all = append(all, agent.Kind(found[1]))
	}
	if len(all) < 18 {
		t.Fatalf("only %d kinds were found: the reading of event.go is broken", len(all))
	}
	return all
}

// TestEveryEventHasAnExample holds the examples of docs/formats.md to the events
// that there are, and each of them to the envelope and its data.
func TestEveryEventHasAnExample(t *testing.T) {
	t.Parallel()
	shown := map[agent.Kind]bool{}
	keys := reflect.TypeFor[envelope]()
	for _, line := range examples(t, "One line of each event") {
		var env envelope
		if err := strictly(line, &env); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		shown[env.Event] = true
		var have map[string]json.RawMessage
		must(t, json.Unmarshal(line, &have))
		for i := range keys.NumField() {
			if key := keys.Field(i).Tag.Get("json"); have[key] == nil {
				t.Errorf("%s: the example lacks %q", env.Event, key)
			}
		}
		if (env.ID == nil) != env.Event.Live() || (env.Seq == nil) != env.Event.Live() {
			t.Errorf("%s: the example has id %v and seq %v", env.Event, env.ID, env.Seq)
		}
		data := agent.NewData(env.Event)
		if data == nil {
			t.Errorf("there is no event %s", env.Event)
			continue
		}
		if err := strictly(env.Data, data); err != nil {
			t.Errorf("%s: data: %v", env.Event, err)
		}
		if reflect.ValueOf(data).Elem().IsZero() {
			t.Errorf("%s: the example says nothing", env.Event)
		}
	}
	for _, kind := range kinds(t) {
		if !shown[kind] {
			t.Errorf("docs/formats.md has no example of %s", kind)
		}
		if agent.NewData(kind) == nil {
			t.Errorf("the data of %s cannot be decoded", kind)
		}
	}
}
