package prompt

import "strings"

// Values is what the template of a message sees, and "system" with it.
type Values struct {
	Task     Task
	Language string    // label of a code block that holds an answer: "cuda" or "python"
	Turns    []Attempt // the attempts to build on, oldest first, without those left out
	First    bool      // there are none: an example belongs here
	Dropped  int       // attempts left out to fit, all older than those of Turns
	Hint     string    // a person's, for the attempt that follows this message; "" without one
}

// TurnValues is what "assistant" and "result" see.
type TurnValues struct {
	Task     Task
	Language string
	Turn     Attempt
	Hint     string // a person's, for the attempt that follows "result"; "" without one
}

// Task is the text that describes what is to be computed.
type Task struct {
	Reference   string // the PyTorch file
	Declaration string // of solve, in C; "" in the torch dialect, and where only running the reference tells
	Shapes      string // tensors and sizes, one line each; "" as Declaration
	Device      string // what the kernel runs on: "NVIDIA H200"
	Dialect     string // "cuda" or "torch"
}

// Attempt is one earlier turn, as much of it as the model is shown.
type Attempt struct {
	Number   int
	Kernel   string // "" if the reply held none
	Summary  string // the model's own words on it
	Feedback string // what the evaluation said
	Hint     string // a person's, given before this attempt
}

// language is the label of an answer's code block.
func language(dialect string) string {
	if dialect == "torch" {
		return "python"
	}
	return dialect
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

// model cuts a reference after the class Model, as Kevin's prompts do: the
// functions that make inputs are not shown. A file without that class is whole.
func model(reference string) string {
	end, inside, quoted := 0, false, false
	for line := range strings.Lines(reference) {
		switch {
		case strings.HasPrefix(line, "class Model(") || strings.HasPrefix(line, "class Model:"):
			inside = true
		case inside && !quoted && outer(line):
			return strings.TrimRight(reference[:end], " \t\r\n") + "\n"
		}
		quoted = quoted != (strings.Count(line, `"""`)%2 == 1)
		end += len(line)
	}
	return reference
}

// outer reports whether a line of Python ends the class before it.
func outer(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.ContainsAny(line[:1], " \t#)")
}
