package plain

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/agent/record"
	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
)

// NewText prints for people: a line per event, the reply as it streams, and at
// the end of the session the result and the folder of its record.
func NewText(w io.Writer, record string) Printer {
	return newText(w, record)
}

// Show prints a stored session, and what is wrong in its log.
func Show(w io.Writer, path string, events []agent.Event, problems []record.Problem) error {
	p := newText(w, path)
	for _, e := range events {
		p.Event(e)
	}
	if p.state.Ended == nil {
		p.say("result", "%s", p.result()+"; the session was never ended")
	}
	for _, bad := range problems {
		p.say("damaged", "%s", bad)
	}
	return p.Err()
}

// thoughtWidth is where a line of reasoning is broken: it has few breaks of its own.
const thoughtWidth = 100

func newText(w io.Writer, record string) *text {
	return &text{out: output{w: w}, record: record, shown: map[int]*shown{}}
}

type text struct {
	out    output
	record string
	state  agent.State
	shown  map[int]*shown // of the turns that are under way
}

// shown is what was printed of a turn while it came.
type shown struct {
	heard   bool // text of the reply
	stages  bool // of the evaluation, as they ended
	thought paragraph
	answer  paragraph
}

// of is what was printed of a turn so far.
func (p *text) of(turn int) *shown {
	if p.shown[turn] == nil {
		p.shown[turn] = &shown{thought: paragraph{limit: thoughtWidth}}
	}
	return p.shown[turn]
}

func (p *text) Err() error { return p.out.err }

// say prints one line under a label. The text is made safe and single.
func (p *text) say(label, format string, args ...any) {
	p.line(term.Pad(label, 9) + oneLine(fmt.Sprintf(format, args...)))
}

func (p *text) line(s string) { p.out.write([]byte(strings.TrimRight(s, " ") + "\n")) }

// block prints text that has lines of its own.
func (p *text) block(prefix, text string) {
	for line := range strings.Lines(term.Clean(text)) {
		p.line(prefix + strings.TrimSuffix(line, "\n"))
	}
}

func (p *text) Event(e agent.Event) {
	p.state.Apply(e)
	label := "session"
	if e.Turn > 0 {
		label = fmt.Sprintf("turn %d", e.Turn)
	}
	if e.Kind.Live() && p.sampled(e.Turn) {
		return // its reply and stages are printed whole, or they would be mixed with its siblings'
	}
	switch d := e.Data.(type) {
	case *agent.SessionStarted:
		p.started(d)
	case *agent.TaskPinned:
		p.pinned(d)
	case *agent.Environment:
		if why := d.Facts[FactNoGPU]; why != "" {
			p.say("device", "%s", NoGPU(why))
		}
	case *agent.TurnStarted:
		p.say(label, "%s", opening(d))
	case *agent.PromptBuilt:
		p.say(label, "prompt: %s", size(d))
	case *agent.PromptDrafted:
		p.drafted(d)
	case *agent.ModelChanged:
		p.say("model", "from the next turn on: %s", writer(d.Model, d.Endpoint, d.Scripted))
	case *agent.ModelRequested:
		if d.Attempt <= 1 { // of every further one a notice has told
			p.say(label, "asking %s at %s", d.Model, d.Endpoint)
		}
	case *agent.TextDelta:
		p.stream(e.Turn, d)
	case *agent.ModelResponded:
		p.responded(label, e.Turn, d)
	case *agent.CodeExtracted:
		p.say(label, "kernel: %s", found(d))
	case *gpu.Event:
		if e.Kind != agent.KindStageAhead { // what is built ahead is told of again, after its reply
			p.stage(label, e.Turn, *d)
		}
	case *agent.Evaluated:
		p.evaluated(label, e.Turn, d)
	case *agent.Scored:
		if d.Score != nil {
			p.say(label, "score: %.2f", *d.Score)
		}
	case *agent.TurnEnded:
		delete(p.shown, e.Turn)
		p.say(label, "end: %s", headline(d.Outcome, d.Summary))
	case *agent.HumanActed:
		p.acted(label, d)
	case *agent.Noticed:
		p.say(label, "%s: %s", d.Level, d.Text)
	case *agent.SessionEnded:
		p.say("result", "%s", p.result())
	}
}

// sampled reports whether a turn is one of several that were asked for at once.
func (p *text) sampled(turn int) bool {
	t := p.state.Turn(turn)
	return t != nil && t.Sample > 0
}

func (p *text) started(d *agent.SessionStarted) {
	p.say("model", "%s", writer(d.Model, d.Endpoint, d.Scripted))
	device := d.Device
	if d.Emulated {
		device += ": times are emulated on CPU, not GPU times"
	}
	p.say("device", "%s", device)
}

// writer names a model and where it is.
func writer(model, endpoint string, scripted bool) string {
	if endpoint != "" {
		model += " at " + endpoint
	}
	if scripted {
		model += " (scripted)"
	}
	return model
}

func (p *text) pinned(d *agent.TaskPinned) {
	level := ""
	if d.Level > 0 {
		level = fmt.Sprintf(", level %d", d.Level)
	}
	p.say("task", "%s (%s%s)", d.Title, d.ID, level)
	if d.Signature != "" {
		p.say("solve", "%s", d.Signature)
	}
	p.block(strings.Repeat(" ", 9), cmp.Or(d.Shapes, SignatureUnknown))
}

// SignatureUnknown stands where a task's tensors would: for one that is known by its
// PyTorch reference alone.
const SignatureUnknown = "Running the reference tells what it takes and gives."

func opening(d *agent.TurnStarted) string {
	who := "the model"
	if d.Source == agent.SourceHuman {
		who = "an edit"
	}
	s := who + " starts afresh"
	if d.Parent > 0 {
		s = fmt.Sprintf("%s goes on from turn %d", who, d.Parent)
	}
	switch d.Reason {
	case agent.ActionRetry:
		s += ", a retry with the same prompt"
	case agent.ActionBranch:
		s += ", a branch"
	case agent.ActionSend:
		s += ", with an edited prompt"
	}
	if d.Sample > 0 {
		s += fmt.Sprintf(", sample %d", d.Sample)
	}
	if d.Hint != "" {
		s += ", with the hint: " + d.Hint
	}
	return s
}

// drafted prints a prompt that has not been sent, every line of it.
func (p *text) drafted(d *agent.PromptDrafted) {
	p.say("next", "the prompt would be: %s", size(&d.Prompt))
	p.block("  > ", prompt.Text(d.Prompt.Messages))
}

func size(d *agent.PromptBuilt) string {
	s := fmt.Sprintf("about %d tokens", d.Tokens)
	if d.Scaled {
		s += ", by the server's counts so far"
	}
	if d.Edited {
		return s + ", edited"
	}
	if len(d.DroppedTurns) > 0 {
		s += fmt.Sprintf(", left out to fit: turns %v", d.DroppedTurns)
	}
	return s
}

func found(d *agent.CodeExtracted) string {
	s := "none"
	if d.Kernel != "" {
		s = fmt.Sprintf("%d lines", strings.Count(strings.TrimSuffix(d.Kernel, "\n"), "\n")+1)
	}
	s += " (" + d.Rule + ")"
	if len(d.Problems) > 0 {
		s += "; " + strings.Join(d.Problems, "; ")
	}
	return s
}

// stream prints the lines of the reply that are complete.
func (p *text) stream(turn int, d *agent.TextDelta) {
	t := p.of(turn)
	t.heard = true
	if d.Reasoning {
		p.lines("  ~ ", t.thought.write(d.Text))
		return
	}
	p.lines("  ~ ", t.thought.flush())
	p.lines("  | ", t.answer.write(d.Text))
}

func (p *text) lines(prefix string, lines []string) {
	for _, l := range lines {
		p.line(prefix + l)
	}
}

func (p *text) responded(label string, turn int, d *agent.ModelResponded) {
	t := p.of(turn)
	if !t.heard {
		p.stream(turn, &agent.TextDelta{Reasoning: true, Text: d.Reasoning})
		p.stream(turn, &agent.TextDelta{Text: d.Content})
	}
	p.lines("  ~ ", t.thought.flush())
	p.lines("  | ", t.answer.flush())
	s := fmt.Sprintf("reply: %d tokens in %s", d.Usage.Completion, figures.Span(d.Total))
	if d.Usage.Estimated {
		s = strings.Replace(s, ": ", ": about ", 1)
	}
	if d.FirstToken != nil && *d.FirstToken > 0 {
		s += ", the first after " + figures.Span(*d.FirstToken)
	}
	if rate, known := d.Rate(); known {
		s += fmt.Sprintf(", then %.0f tokens/s", rate)
	}
	if d.CancelledBy != "" {
		s += ", cancelled by " + d.CancelledBy
	}
	if d.Error != "" {
		s += ", failed: " + d.Error
	}
	p.say(label, "%s", s)
}

// stage prints how a stage ended; that it began is of no use on paper.
func (p *text) stage(label string, turn int, e gpu.Event) {
	if e.Status != gpu.StatusOK && e.Status != gpu.StatusFailed {
		return
	}
	p.of(turn).stages = true
	p.say(label, "%s", stageLine(e.Stage, e.Status, e.Elapsed, e.Detail))
}

func (p *text) evaluated(label string, turn int, d *agent.Evaluated) {
	seen := p.of(turn).stages
	defer func() { p.of(turn).stages = false }() // a final check may follow
	if d.Verdict == nil {
		p.say(label, "no verdict: %s", d.Error)
		return
	}
	if !seen {
		for _, s := range d.Verdict.Stages {
			p.stage(label, turn, gpu.Event{
				Stage: s.Name, Status: s.Status, Detail: s.Detail,
				Elapsed: time.Duration(s.MS * float64(time.Millisecond)),
			})
		}
	}
	kernel := ""
	if t := p.state.Turn(turn); t != nil {
		kernel = t.Kernel()
	}
	p.lines("  ", details(*d.Verdict, kernel))
	if d.Accept {
		p.say(label, "final check: %s", headline(string(d.Verdict.Outcome), d.Verdict.Summary))
	}
}

func (p *text) acted(label string, d *agent.HumanActed) {
	s := "you: " + plainAction(d)
	if d.Text != "" {
		s += ": " + d.Text
	}
	if d.Plan != nil {
		s += ": " + Plan(*d.Plan)
	}
	p.say(label, "%s", s)
	p.block("  | ", d.Diff)
}

// plainAction is an action in the words of the command that asks for it.
func plainAction(d *agent.HumanActed) string {
	switch {
	case d.Action == agent.ActionPin && d.After == "":
		return "pin no turn: the best is the one to beat again"
	case d.Action == agent.ActionRate:
		return fmt.Sprintf("rate %d of %d", d.Rating, agent.MaxRating)
	}
	return string(d.Action)
}

// Plan says in words what a session does without being asked.
func Plan(p agent.Plan) string {
	s := figures.Plural(p.Turns, "turn")
	if p.Samples > 1 {
		s += fmt.Sprintf(" of %d samples", p.Samples)
	}
	if p.Keep > 1 {
		s += fmt.Sprintf(", keeping %d", p.Keep)
	}
	return s
}

func (p *text) result() string { return Result(&p.state, p.record) }

// Result says in one line what a session came to, and where its record is unless
// path is empty.
func Result(s *agent.State, path string) string {
	var text string
	best := s.Turn(s.Best)
	switch {
	case best == nil && len(s.Turns) == 0:
		text = "no turn was taken"
	case best == nil:
		text = "no correct kernel in " + figures.Plural(len(s.Turns), "turn")
	default:
		text = fmt.Sprintf("the best is turn %d", s.Best)
		if speedup, ok := best.Speedup(); ok {
			text += ", " + ratio(speedup) + " " + gpu.BaselineName(best.Verdict.ScoreBasis)
		}
		if s.Session.Emulated {
			text += " (" + emulated + ")"
		}
	}
	if s.Accepted != 0 {
		text += fmt.Sprintf("; turn %d is accepted", s.Accepted)
	}
	if path != "" {
		text += "; record in " + path
	}
	return text
}
