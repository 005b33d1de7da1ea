package ui

import (
	"fmt"
	"strings"

	"example.com/hone/agent"
	"example.com/hone/ui/code"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// taskText is a task's sources, line by line, in colours once they are made.
type taskText struct {
	reference []string
	signature []string
}

func plainTask(t agent.TaskPinned) taskText {
	return taskText{
		reference: strings.Split(referenceText(t), "\n"),
		signature: strings.Split(signatureText(t), "\n"),
	}
}

func colourTask(th theme.Theme, t agent.TaskPinned) taskText {
	return taskText{
		reference: code.Highlight(referenceText(t), code.Python, th),
		signature: code.Highlight(signatureText(t), code.CUDA, th),
	}
}

func referenceText(t agent.TaskPinned) string {
	return strings.TrimSpace(term.Clean(t.Reference))
}

// signatureText is the declaration of solve, a parameter a line.
func signatureText(t agent.TaskPinned) string {
	head, rest, found := strings.Cut(oneLine(t.Signature), "(")
	if !found {
		return head
	}
	parameters := strings.Split(strings.TrimSuffix(rest, ")"), ", ")
	return head + "(\n    " + strings.Join(parameters, ",\n    ") + ")"
}

// taskRows is a task as a pane shows it: what to write, on what, and what it has
// to compute.
func taskRows(th theme.Theme, t agent.TaskPinned, text taskText) []string {
	head := func(s string) string { return " " + th.Accent.Render(s) }
	out := []string{
		" " + th.Title.Render(oneLine(t.Title)) + th.Dim.Render(levelOf(t)), "",
		head("reference, in PyTorch"), "",
	}
	out = appendIndented(out, text.reference)
	if t.Signature != "" {
		out = append(out, "", head("what the kernel file defines"), "")
		out = appendIndented(out, text.signature)
	}
	out = append(out, "", head("tensors and sizes"), "")
	if t.Shapes == "" {
		return append(out, "   "+th.Dim.Render(plain.SignatureUnknown))
	}
	return appendIndented(out, strings.Split(term.Clean(t.Shapes), "\n"))
}

func levelOf(t agent.TaskPinned) string {
	if t.Level == 0 {
		return ""
	}
	return fmt.Sprintf("  level %d", t.Level)
}

func appendIndented(out, lines []string) []string {
	for _, line := range lines {
		out = append(out, "   "+line)
	}
	return out
}

func (r *refine) taskBody() body {
	return rows(taskRows(r.theme, r.state.Task, r.text))
}
