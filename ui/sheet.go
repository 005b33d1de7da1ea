package ui

import (
	"strings"

	"example.com/hone/agent"
	"example.com/hone/agent/extract"
	"example.com/hone/ui/code"
	"example.com/hone/ui/theme"
)

// sheet is the texts of one turn as they are drawn: the thoughts, the reply
// without its code, and the kernel. While a reply streams, it is sorted piece
// by piece; the whole reply sorts to the same.
type sheet struct {
	theme    theme.Theme
	lang     code.Language // of the kernel
	splitter extract.Stream
	fed      int // bytes of the reply sorted so far
	thought  paper
	prose    paper
	code     *code.Buffer
	written  strings.Builder // what code was fed, raw
	block    int             // of the reply that code holds
	meter    meter
	scroll   scroll // of the kernel

	coloured bool     // the full pass of colours was asked for
	markdown []string // prose, rendered; nil until it is
	rendered int      // the width that markdown was asked for
}

func newSheet(th theme.Theme, lang code.Language) *sheet {
	s := &sheet{theme: th, lang: lang, scroll: scroll{follow: true}}
	s.splitter.Torch = lang == code.Python
	s.thought.width, s.prose.width = defaultWrap, defaultWrap
	s.clearCode()
	return s
}

// defaultWrap is the width of text that has not been on screen yet.
const defaultWrap = 80

// hear takes an event of this turn, whose state already has it.
func (s *sheet) hear(e agent.Event, t *agent.Turn) {
	switch d := e.Data.(type) {
	case *agent.TextDelta:
		s.meter.add(e.Time, len(d.Text))
		s.write(d.Reasoning, d.Text)
	case *agent.ModelResponded:
		s.complete(d)
	case *agent.CodeExtracted:
		s.settle(d.Kernel)
	case *agent.TurnEnded:
		s.code.Close()
		s.rest(firstError(t))
	}
}

func (s *sheet) write(reasoning bool, text string) {
	s.fed += len(text)
	for _, p := range merge(s.splitter.Write(reasoning, text)) {
		s.sort(p)
	}
}

// merge joins neighbouring pieces of one kind: a text is coloured at once or, if
// it is long, at the end.
func merge(pieces []extract.Piece) []extract.Piece {
	var out []extract.Piece
	for start := 0; start < len(pieces); {
		p := pieces[start]
		var text strings.Builder
		end := start
		for ; end < len(pieces) && pieces[end].Kind == p.Kind && pieces[end].Block == p.Block; end++ {
			text.WriteString(pieces[end].Text)
		}
		p.Text = text.String()
		out, start = append(out, p), end
	}
	return out
}

// sort puts a piece of the reply where it belongs.
func (s *sheet) sort(p extract.Piece) {
	switch p.Kind {
	case extract.Thought:
		s.thought.write(p.Text)
	case extract.Prose:
		s.prose.write(p.Text)
	case extract.Code:
		if p.Block != s.block {
			s.clearCode()
			s.block = p.Block
		}
		s.written.WriteString(p.Text)
		s.code.Feed(p.Text)
	case extract.Restart:
		s.thought.write(s.prose.text() + s.raw())
		s.prose = paper{width: s.prose.width}
		s.clearCode()
	}
}

// complete takes the whole reply. Where it was not heard piece by piece, it is
// sorted now; a last line that was held back is let go.
func (s *sheet) complete(d *agent.ModelResponded) {
	if s.fed != len(d.Reasoning)+len(d.Content) {
		width, place := s.thought.width, s.scroll
		*s = *newSheet(s.theme, s.lang)
		s.thought.width, s.prose.width, s.scroll = width, width, place
		s.write(true, d.Reasoning)
		s.write(false, d.Content)
	}
	s.write(false, "\n")
}

// settle shows the kernel that was taken from the reply, or edited.
func (s *sheet) settle(kernel string) {
	if kernel == "" || strings.TrimRight(kernel, "\n") == strings.TrimRight(s.raw(), "\n") {
		return
	}
	s.clearCode()
	s.written.WriteString(kernel)
	s.code = code.NewBufferOf(kernel, s.lang, s.theme)
}

// rest ends following: a kernel that is complete is read from its first error,
// or from its top. A reader who has moved meanwhile stays.
func (s *sheet) rest(line int) {
	const before = 6 // lines above the error that explain it
	if s.scroll.follow {
		s.scroll = scroll{top: max(0, line-1-before)}
	}
	s.scroll.seen = 0
}

// firstError is the line of a turn's first diagnostic or finding, 0 for none.
func firstError(t *agent.Turn) int {
	if t.Verdict == nil {
		return 0
	}
	for _, d := range t.Verdict.Diagnostics {
		if d.Severity == "error" && d.Line > 0 {
			return d.Line
		}
	}
	for _, f := range t.Verdict.Findings {
		if f.Severity == "error" && f.Line > 0 {
			return f.Line
		}
	}
	return 0
}

func (s *sheet) clearCode() {
	s.code, s.coloured, s.block = code.NewBuffer(s.lang, s.theme), false, 0
	s.written.Reset()
}

// raw is the code as it was written, control codes and all.
func (s *sheet) raw() string { return s.written.String() }
