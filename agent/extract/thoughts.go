package extract

import "strings"

const (
	openTag  = "<think>"
	closeTag = "</think>"
	maxBlank = 256 // bytes of white space that may come before an opening tag
)

// Kind is what a piece of a reply is.
type Kind int

// The kinds.
const (
	Prose Kind = iota
	Code
	Thought
	// Restart has no text: a thought that never opened has just closed, so
	// everything before, whatever it was taken for, was thought.
	Restart
)

// Piece is a part of a reply, as it arrives.
type Piece struct {
	Kind     Kind
	Text     string
	Block    int    // of Code: 1, 2, 3, ...
	Language string // of Code: the block's label, lower case
}

// Thoughts finds the reasoning that a server left inside the text, between
// <think> tags that may be cut anywhere. Only the first thought counts. Chat
// templates often open it in the prompt, so that the text has the closing tag
// alone. The zero value is ready; pieces are Prose, Thought or Restart.
type Thoughts struct {
	// Opened says that the text begins inside a thought.
	Opened bool

	state thoughtState
	held  string // may be the start of a tag
}

type thoughtState int

const (
	atStart  thoughtState = iota // only white space so far
	unsure                       // prose, unless a closing tag comes
	thinking                     // after an opening tag
	leaving                      // after the closing tag, before the answer's first line
	done                         // in the answer
)

// Write takes the next piece of text.
func (t *Thoughts) Write(text string) []Piece {
	if t.state == atStart && t.Opened {
		t.state = thinking
	}
	text, t.held = t.held+text, ""
	var pieces []Piece
	for text != "" {
		var p []Piece
		p, text = t.step(text)
		pieces = append(pieces, p...)
	}
	return pieces
}

// Close gives what was held back. Open reports afterwards how the text ended.
func (t *Thoughts) Close() []Piece {
	text := t.held
	t.held = ""
	return t.piece(text)
}

// Open reports whether the text so far ends inside a thought.
func (t *Thoughts) Open() bool {
	return t.state == thinking || t.state == atStart && t.Opened
}

// step consumes some of text, or holds all of it back.
func (t *Thoughts) step(text string) (pieces []Piece, rest string) {
	switch t.state {
	case atStart:
		return t.start(text)
	case unsure, thinking:
		return t.search(text)
	case leaving:
		rest = strings.TrimLeft(text, "\r\n")
		if rest != "" {
			t.state = done
		}
		return nil, rest
	}
	return t.piece(text), ""
}

// start looks for an opening tag before anything else.
func (t *Thoughts) start(text string) (pieces []Piece, rest string) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if len(text)-len(trimmed) <= maxBlank {
		if after, ok := strings.CutPrefix(trimmed, openTag); ok {
			t.state = thinking
			return nil, after
		}
		if strings.HasPrefix(openTag, trimmed) {
			t.held = text
			return nil, ""
		}
	}
	t.state = unsure
	return nil, text
}

// search looks for the closing tag, keeping back what may be its beginning.
func (t *Thoughts) search(text string) (pieces []Piece, rest string) {
	if before, after, ok := strings.Cut(text, closeTag); ok {
		pieces = t.piece(before)
		if t.state == unsure {
			pieces = append(pieces, Piece{Kind: Restart})
		}
		t.state = leaving
		return pieces, after
	}
	keep := min(len(text), len(closeTag)-1)
	for !strings.HasPrefix(closeTag, text[len(text)-keep:]) {
		keep--
	}
	t.held = text[len(text)-keep:]
	return t.piece(text[:len(text)-keep]), ""
}

func (t *Thoughts) piece(text string) []Piece {
	if text == "" {
		return nil
	}
	if t.state == thinking {
		return []Piece{{Kind: Thought, Text: text}}
	}
	return []Piece{{Kind: Prose, Text: text}}
}
