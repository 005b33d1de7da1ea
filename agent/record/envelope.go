package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"example.com/hone/agent"
)

// version is the v of the envelope. Keys may be added under the same version;
// a key that changes its meaning or its name needs a new one.
const version = 1

// envelope is one line of the log: every line has every key. Group and
// trajectory are null but in a run that samples one task several times; the
// trajectory is then the session itself.
type envelope struct {
	Version    int               `json:"v"`
	Event      agent.Kind        `json:"event"`
	ID         *string           `json:"id"`  // null for an event that is never recorded
	Seq        *int64            `json:"seq"` // likewise
	Time       string            `json:"ts"`
	Mono       int64             `json:"mono_ns"`
	Session    string            `json:"session"`
	Group      *string           `json:"group"`
	Trajectory *string           `json:"trajectory"`
	Turn       int               `json:"turn"`
	Parent     *string           `json:"parent"` // see parentOf
	Actor      actor             `json:"actor"`
	Data       json.RawMessage   `json:"data"`
	Blobs      map[string]string `json:"blobs"`
	Prev       *string           `json:"prev"` // SHA-256 of the line before, null for the first
}

type actor struct {
	Kind agent.Actor `json:"kind"`
	ID   *string     `json:"id"` // pseudonym, null where there is none
}

const timeFormat = "2006-01-02T15:04:05.000000Z"

// Encode writes an event as one line in the envelope, with all texts in place
// and no link to a line before. It serves readers of a live session.
func Encode(e agent.Event) ([]byte, error) {
	env, err := wrap(e)
	if err != nil {
		return nil, err
	}
	return env.line()
}

func wrap(e agent.Event) (*envelope, error) {
	data, err := marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Kind, err)
	}
	env := &envelope{
		Version: version, Event: e.Kind, Time: e.Time.UTC().Format(timeFormat), Mono: int64(e.Mono),
		Session: e.Session, Turn: e.Turn, Actor: actor{Kind: e.Actor}, Data: data, Blobs: map[string]string{},
	}
	if e.Group != "" {
		env.Group, env.Trajectory = &e.Group, &e.Session
	}
	if !e.Kind.Live() {
		env.ID, env.Seq = &e.ID, &e.Seq
	}
	return env, nil
}

// line is the envelope as a line, its newline included.
func (env *envelope) line() ([]byte, error) {
	b, err := marshal(env)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", env.Event, err)
	}
	return append(b, '\n'), nil
}

// marshal is json.Marshal that leaves < and > readable: kernels are full of them.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// unwrap is the event of an envelope whose data is complete.
func (env *envelope) unwrap() (agent.Event, error) {
	e := agent.Event{
		Kind: env.Event, Mono: time.Duration(env.Mono), Session: env.Session, Turn: env.Turn, Actor: env.Actor.Kind,
	}
	if env.ID == nil || env.Seq == nil {
		return e, fmt.Errorf("event %s has no id or seq", env.Event)
	}
	e.ID, e.Seq = *env.ID, *env.Seq
	if env.Group != nil {
		e.Group = *env.Group
	}
	var err error
	if e.Time, err = time.Parse(time.RFC3339Nano, env.Time); err != nil {
		return e, fmt.Errorf("event %s: ts: %w", env.Event, err)
	}
	e.Time = e.Time.UTC()
	e.Data = agent.NewData(env.Event)
	if e.Data == nil {
		e.Data = env.Data
		return e, nil
	}
	if err := json.Unmarshal(env.Data, e.Data); err != nil {
		return e, fmt.Errorf("event %s: data: %w", env.Event, err)
	}
	return e, nil
}
