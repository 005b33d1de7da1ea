package extract

import "strings"

// Bounds on what is kept of a reply, whatever its size.
const (
	maxKernel  = 1 << 20 // bytes; a larger one is shown but not judged
	maxSummary = 4000    // bytes
	maxBlocks  = 1000    // what follows is ignored
)

// Stream takes a reply apart as it arrives. The zero value is ready.
type Stream struct {
	Torch bool // as of [Input]

	thoughts Thoughts
	fences   fences
	parts    []*part
	answer   strings.Builder // all text outside the thought, as it came
	thought  strings.Builder
	reasoned bool // reasoning came apart, so that tags in the content mean nothing
	seen     int  // blocks that were looked at by Settled
}

// part is one run of prose, or one block.
type part struct {
	kind     Kind
	language string
	block    int
	text     strings.Builder
}

// Write takes the next delta of the reply and says what is in it. Text that may
// still become a fence or a tag is held back for the next call.
func (s *Stream) Write(reasoning bool, text string) []Piece {
	if text == "" {
		return nil
	}
	if reasoning {
		var pieces []Piece
		if !s.reasoned {
			s.reasoned = true
			pieces = s.sort(s.thoughts.Close())
		}
		s.thought.WriteString(text)
		return append(pieces, Piece{Kind: Thought, Text: text})
	}
	if s.reasoned {
		return s.prose(text)
	}
	return s.sort(s.thoughts.Write(text))
}

// Close ends the reply. The finish reason is the server's; cut says that the
// stream broke off.
func (s *Stream) Close(finishReason string, cut bool) Result {
	s.sort(s.thoughts.Close())
	pieces, open := s.fences.close()
	s.keep(pieces)
	return s.result(end{
		reason: finishReason, cut: cut, blockOpen: open,
		thoughtOpen: !s.reasoned && s.thoughts.Open(),
	})
}

// Settled tells, when a block has just closed, which kernel the reply will turn out to
// hold: the first that defines what is wanted. Only a thought whose end comes late, or a
// reply that ends early, has another result.
func (s *Stream) Settled() (kernel string, ok bool) {
	if s.fences.open.width > 0 || s.fences.blocks == s.seen {
		return "", false
	}
	s.seen = s.fences.blocks
	_, solvers := s.blocks()
	if len(solvers) == 0 {
		return "", false
	}
	return bounded(solvers[0].text.String())
}

// sort sends each piece where it belongs and finds the code in the prose.
func (s *Stream) sort(pieces []Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		switch p.Kind {
		case Thought:
			s.thought.WriteString(p.Text)
			out = append(out, p)
		case Restart:
			s.thought.WriteString(s.answer.String())
			s.answer.Reset()
			s.parts, s.fences, s.seen = nil, fences{}, 0
			out = append(out, p)
		default:
			out = append(out, s.prose(p.Text)...)
		}
	}
	return out
}

func (s *Stream) prose(text string) []Piece {
	s.answer.WriteString(text)
	pieces := s.fences.write(text)
	s.keep(pieces)
	return pieces
}

// keep appends the pieces to the parts of the answer.
func (s *Stream) keep(pieces []Piece) {
	for _, p := range pieces {
		if p.Block > maxBlocks {
			continue
		}
		last := len(s.parts) - 1
		if last < 0 || s.parts[last].kind != p.Kind || s.parts[last].block != p.Block {
			s.parts = append(s.parts, &part{kind: p.Kind, language: p.Language, block: p.Block})
			last++
		}
		s.parts[last].text.WriteString(p.Text)
	}
}
