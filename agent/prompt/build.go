package prompt

import (
	"fmt"
	"strings"
)

// slack is left free below the budget, as in Kevin's trainer.
const slack = 32

// Input is all that a prompt is made of.
type Input struct {
	Set    *Set // nil: "kevin"
	Task   Task
	Turns  []Attempt // the attempts to build on, oldest first
	Hint   string    // a person's, for the attempt to come
	Budget int       // most tokens the prompt should take; 0: no limit
	Scale  Scale     // how the server counts
}

// Exceeded reports whether a prompt of so many tokens takes more than the budget.
func (in Input) Exceeded(tokens int) bool { return in.Budget > 0 && tokens+slack > in.Budget }

// Prompt is what is sent to a model.
type Prompt struct {
	Messages []Message
	Template string // set and dialect: "kevin/cuda"
	SHA256   string // of the set
	Dropped  []int  // numbers of the attempts left out to fit, oldest first
	Tokens   int    // an estimate, by the server's own counts where there are any
	Scaled   bool   // there are
}

// Build writes the prompt for the next attempt. Above the budget it leaves out
// whole attempts, oldest first, but never the newest: a prompt without it would
// ask for corrections of something unseen.
func Build(in Input) (Prompt, error) {
	set := in.Set
	if set == nil {
		set = Kevin()
	}
	w, err := set.writer(in.Task.Dialect)
	if err != nil {
		return Prompt{}, err
	}
	p := Prompt{Template: set.Name + "/" + in.Task.Dialect, SHA256: set.SHA256, Scaled: in.Scale.known()}
	for {
		if p.Messages, err = w.messages(in, len(p.Dropped)); err != nil {
			return Prompt{}, err
		}
		p.Tokens = in.Scale.Of(p.Messages)
		if !in.Exceeded(p.Tokens) || len(in.Turns) < 2 {
			return p, nil
		}
		p.Dropped = append(p.Dropped, in.Turns[0].Number)
		in.Turns = in.Turns[1:]
	}
}

// messages writes out all parts of a prompt.
func (w writer) messages(in Input, dropped int) ([]Message, error) {
	values := Values{
		Task: in.Task, Language: language(in.Task.Dialect),
		Turns: in.Turns, First: len(in.Turns) == 0, Dropped: dropped, Hint: in.Hint,
	}
	if w.chat() && len(in.Turns) > 0 {
		values.Hint = in.Turns[0].Hint
	}
	var messages []Message
	add := func(role, part string, data any) error {
		text, err := w.write(part, data)
		if err == nil && (text != "" || role == "assistant") {
			messages = append(messages, Message{Role: role, Content: text})
		}
		return err
	}
	if w.has(partSystem) {
		if err := add("system", partSystem, values); err != nil {
			return nil, err
		}
	}
	if err := add("user", w.body, values); err != nil || !w.chat() {
		return messages, err
	}
	for i, turn := range in.Turns {
		told := TurnValues{Task: in.Task, Language: values.Language, Turn: turn, Hint: in.Hint}
		if i+1 < len(in.Turns) {
			told.Hint = in.Turns[i+1].Hint
		}
		if err := add("assistant", partAssistant, told); err != nil {
			return nil, err
		}
		if err := add("user", partResult, told); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// write fills in one part. Blank space around a message says nothing and is left
// out.
func (w writer) write(part string, data any) (string, error) {
	var b strings.Builder
	if err := w.root.ExecuteTemplate(&b, part, data); err != nil {
		return "", fmt.Errorf("fill in prompt set %s: %w", w.set, err)
	}
	return strings.TrimSpace(b.String()), nil
}
