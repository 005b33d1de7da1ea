package prompt

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed kevin/*.tmpl
var sets embed.FS

// slack is left free below the budget, as the estimate may be a little low.
const slack = 32

// Input is all that a prompt is made of.
type Input struct {
	Task   Task
	Turns  []Attempt // the attempts to build on, oldest first
	Hint   string    // a person's, for the attempt to come
	Budget int       // most tokens the prompt should take; 0: no limit
}

// Task is the text that describes what is to be computed.
type Task struct {
	Reference   string // the PyTorch file
	Declaration string // of solve, in C
	Shapes      string // tensors and sizes, one line each
	Device      string // what the kernel runs on: "NVIDIA H200"
	Dialect     string // "cuda" or "torch"
}

// Attempt is one earlier turn, as much of it as the model is shown.
type Attempt struct {
	Number   int
	Kernel   string // empty if the reply held none
	Summary  string // the model's own words on it
	Feedback string // what the evaluation said
	Hint     string // a person's, given before this attempt
}

// Prompt is what is sent to a model.
type Prompt struct {
	Messages []Message
	Template string // name of the prompt set, "kevin/cuda"
	Dropped  []int  // numbers of the attempts left out to fit, oldest first
	Tokens   int    // an estimate
}

// Build writes the prompt for the next attempt. Above the budget it leaves out
// whole attempts, oldest first, but never the newest: a prompt without it would
// ask for corrections of something unseen.
func Build(in Input) (Prompt, error) {
	name := "kevin/" + in.Task.Dialect
	text, err := sets.ReadFile(name + ".tmpl")
	if err != nil {
		return Prompt{}, fmt.Errorf("no prompt for dialect %q: the known ones are \"cuda\" and \"torch\"", in.Task.Dialect)
	}
	tmpl, err := template.New(name).Funcs(template.FuncMap{"fence": fence, "quote": quote}).Parse(string(text))
	if err != nil {
		return Prompt{}, fmt.Errorf("parse prompt template: %w", err)
	}
	p := Prompt{Template: name}
	for {
		content, err := render(tmpl, in, len(p.Dropped))
		if err != nil {
			return Prompt{}, err
		}
		p.Messages = []Message{{Role: "user", Content: content}}
		p.Tokens = Tokens(content)
		if in.Budget == 0 || p.Tokens+slack <= in.Budget || len(in.Turns) < 2 {
			return p, nil
		}
		p.Dropped = append(p.Dropped, in.Turns[0].Number)
		in.Turns = in.Turns[1:]
	}
}

func render(tmpl *template.Template, in Input, dropped int) (string, error) {
	var b strings.Builder
	err := tmpl.Execute(&b, struct {
		Input
		Dropped int
		First   bool
	}{in, dropped, len(in.Turns) == 0})
	if err != nil {
		return "", fmt.Errorf("fill in prompt template: %w", err)
	}
	return b.String(), nil
}

// fence puts text into a fenced block, longer than any fence inside it.
func fence(label, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + label + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

// quote marks every line of a person's text, so that none of it reads as ours.
func quote(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return "> " + strings.Join(lines, "\n> ")
}

// Tokens estimates how many tokens a text is for a usual tokenizer: 3.5 bytes
// each in ASCII, one for every other character. It is high rather than low.
func Tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (2*ascii+6)/7 + other
}
