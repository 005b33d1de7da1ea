package ui

import (
	"fmt"
	"strings"
	"time"

	"example.com/hone/agent"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/theme"
)

// eventLog is what happened, a line each. It keeps the newest lines; the record
// holds the rest.
type eventLog struct {
	entries []logEntry
}

type logEntry struct {
	at    time.Duration
	turn  int
	level agent.Level
	text  string // one line, cleaned
}

const maxLog = 10_000

func (l *eventLog) add(e agent.Event) {
	level, text := describe(e)
	if text == "" {
		return
	}
	if len(l.entries) >= 2*maxLog {
		l.entries = append(l.entries[:0], l.entries[maxLog:]...)
	}
	l.entries = append(l.entries, logEntry{e.Mono, e.Turn, level, oneLine(text)})
}

// describe says an event in one line, "" for those that are not worth one.
func describe(e agent.Event) (agent.Level, string) {
	switch d := e.Data.(type) {
	case *agent.SessionStarted:
		return agent.LevelInfo, "session of " + d.Model + " on " + d.Device
	case *agent.Environment:
		if why := d.Facts[plain.FactNoGPU]; why != "" {
			return agent.LevelWarn, plain.NoGPU(why)
		}
	case *agent.TurnStarted:
		return agent.LevelInfo, describeStart(d)
	case *agent.ModelChanged:
		next := Profile{Model: d.Model, Endpoint: pick(d.Scripted, "", d.Endpoint)}
		return agent.LevelInfo, "from the next turn on: " + next.about()
	case *agent.ModelResponded:
		return describeReply(d)
	case *agent.CodeExtracted:
		if d.Kernel != "" {
			lines := strings.Count(strings.TrimRight(d.Kernel, "\n"), "\n") + 1
			return agent.LevelInfo, fmt.Sprintf("kernel of %s: %s", figures.Plural(lines, "line"), d.Rule)
		}
		return agent.LevelWarn, "no kernel: " + strings.Join(append(d.Problems, d.Rule), "; ")
	case *agent.PromptBuilt:
		return agent.LevelInfo, describePrompt(d)
	case *agent.Evaluated:
		return describeVerdict(d)
	case *agent.HumanActed:
		return agent.LevelInfo, describeAction(d)
	case *agent.Noticed:
		return d.Level, d.Text
	case *agent.SessionEnded:
		return agent.LevelInfo, "session ended: " + d.Reason
	}
	return "", ""
}

func describeStart(d *agent.TurnStarted) string {
	from := ""
	if d.Parent > 0 {
		from = fmt.Sprintf(" from turn %d", d.Parent)
	}
	switch d.Reason {
	case agent.ActionRetry:
		return "retry" + from
	case agent.ActionBranch:
		return "branch" + from
	case agent.ActionEdit:
		return "edited by hand" + from
	case agent.ActionSend:
		return "turn with an edited prompt" + from
	}
	return "turn" + from
}

// describePrompt says what a person should know of a prompt, which is mostly
// nothing.
func describePrompt(d *agent.PromptBuilt) string {
	switch n := len(d.DroppedTurns); {
	case d.Edited:
		return "the prompt was edited"
	case n > 0:
		return fmt.Sprintf("the prompt leaves out the oldest %s to fit", figures.Plural(n, "turn"))
	}
	return ""
}

func describeReply(d *agent.ModelResponded) (agent.Level, string) {
	if d.Error != "" {
		return agent.LevelError, d.Error
	}
	if d.CancelledBy != "" {
		return agent.LevelWarn, "reply stopped"
	}
	about := ""
	if d.Usage.Estimated {
		about = "about "
	}
	return agent.LevelInfo, fmt.Sprintf("reply of %s%s in %s", about, figures.Plural(d.Usage.Completion, "token"), figures.Span(d.Total))
}

func describeVerdict(d *agent.Evaluated) (agent.Level, string) {
	switch {
	case d.Error != "":
		return agent.LevelError, "not judged: " + d.Error
	case d.Verdict == nil:
		return "", ""
	case d.Accept:
		return agent.LevelInfo, "final check: " + d.Verdict.Summary
	case d.Verdict.Outcome.Correct():
		return agent.LevelInfo, d.Verdict.Summary
	}
	return agent.LevelWarn, d.Verdict.Summary
}

func describeAction(d *agent.HumanActed) string {
	if mark := describeMark(d); mark != "" {
		return mark
	}
	words := map[agent.Action]string{
		agent.ActionAccept: "you accepted it", agent.ActionReject: "you rejected it",
		agent.ActionHint: "your hint", agent.ActionStop: "you stopped it", agent.ActionAuto: "you let it go on",
	}
	text := words[d.Action]
	if text != "" && d.Text != "" {
		text += ": " + d.Text
	}
	if d.Plan != nil {
		text += ": " + plain.Plan(*d.Plan)
	}
	return text
}

// logBody is the log as a pane shows it.
type logBody struct {
	theme theme.Theme
	*eventLog
}

func (l logBody) size() int           { return len(l.entries) }
func (l logBody) last(height int) int { return max(0, len(l.entries)-height) }

func (l logBody) draw(top, height int) []string {
	out := make([]string, 0, height)
	for _, e := range l.entries[top:min(len(l.entries), top+height)] {
		turn := ""
		if e.turn > 0 {
			turn = fmt.Sprint(e.turn)
		}
		style := l.theme.Text
		switch e.level {
		case agent.LevelWarn:
			style = l.theme.Warn
		case agent.LevelError:
			style = l.theme.Bad
		}
		out = append(out, l.theme.Dim.Render(fmt.Sprintf(" %5s  %2s  ", figures.Clock(e.at), turn))+style.Render(e.text))
	}
	return out
}
