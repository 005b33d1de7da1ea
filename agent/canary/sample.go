package canary

import (
	"cmp"
	"strings"
	"time"

	"example.com/hone/agent"
)

// Usual is how the thoughts of models open, by the model's name. A model that is
// not in it opens with [DefaultOpenings]; one with an empty list in no usual way.
type Usual map[string][]string

// Openings are those of a model.
func (u Usual) Openings(model string) []string {
	if openings, ok := u[model]; ok {
		return openings
	}
	return DefaultOpenings()
}

// Sample is what one turn of a model shows.
type Sample struct {
	Time    time.Time // of the turn's start
	Model   string
	Session string
	Turn    int

	Replied    bool     // the reply ended as the server meant it to, at its length limit too
	Odd        *bool    // the thought does not open as usual; nil without a thought or a usual opening
	Thought    bool     // there is one
	Tokens     *int     // of the reply, its thought included
	Repetition *float64 // of the thought, or of the reply where there is none: kernels repeat by nature
	Junk       *float64 // of the same text
	Correct    *bool    // nil where the turn says nothing about the kernel
}

// Samples are the turns of a session that [Take] has something of.
func Samples(s *agent.State, usual Usual) []Sample {
	var samples []Sample
	for _, t := range s.Turns {
		if sample, ok := Take(s.Session.Model, s.ID, *t, usual); ok {
			samples = append(samples, sample)
		}
	}
	return samples
}

// Take measures a turn of a session whose model is the one named, unless the turn
// itself names another. It is false for turns that have not ended, or that no model
// was asked for. A reply that a person or a failure cut off is not measured: how it
// would have gone on is unknown.
func Take(model, session string, t agent.Turn, usual Usual) (Sample, bool) {
	if t.Source != agent.SourceModel || t.End == nil {
		return Sample{}, false
	}
	sample := Sample{Time: t.Started, Model: Writer(model, &t), Session: session, Turn: t.Number, Correct: correct(t)}
	if t.Response != nil && t.Response.Complete {
		sample.measure(t.Response, usual.Openings(sample.Model))
	}
	return sample, true
}

// Writer is the model of a turn: the session's, unless the turn asked another.
func Writer(model string, t *agent.Turn) string {
	if t != nil && t.Request != nil {
		return cmp.Or(t.Request.Model, model)
	}
	return model
}

// FromEvents are the samples of a recorded session.
func FromEvents(events []agent.Event, usual Usual) []Sample {
	return Samples(agent.Replay(events), usual)
}

func (s *Sample) measure(r *agent.ModelResponded, openings []string) {
	s.Replied, s.Thought = true, strings.TrimSpace(r.Reasoning) != ""
	text := r.Content
	if s.Thought {
		text = r.Reasoning
		if len(openings) > 0 {
			odd := !opens(text, openings)
			s.Odd = &odd
		}
	}
	s.Repetition, s.Junk = Repetition(text), Junk(text)
	if n := r.Usage.Completion; n > 0 {
		s.Tokens = &n
	}
}

// correct is whether a turn's kernel passed, nil where nobody can say. A reply
// without a kernel, or cut off at its limit, is scored 0 and so is not correct.
func correct(t agent.Turn) *bool {
	passed := t.Verdict != nil && t.Verdict.Outcome.Correct()
	if !passed && t.Score == nil {
		return nil
	}
	return &passed
}
