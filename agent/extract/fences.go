package extract

import "strings"

// maxFenceLine bounds a line that opens or closes a block. It bounds what is
// held back while a line's first characters may still become a fence.
const maxFenceLine = 256

// fences finds fenced code blocks in Markdown, piece by piece. A block opens
// with three or more backticks or tildes and closes with a line of at least as
// many of the same and nothing else, at any indentation, which is taken off the
// block's lines. CRLF becomes LF. After maxBlocks blocks nothing more is read.
type fences struct {
	open   fence // of the block that is open; width 0 outside
	blocks int

	midLine bool   // the current line cannot be a fence
	held    string // start of a line that may still be one
	cr      bool   // a CR whose LF may be in the next piece
}

// fence is a parsed fence line.
type fence struct {
	mark   byte
	width  int // number of marks
	indent int
	label  string
}

// write takes the next piece of text. Pieces are Prose or Code; the piece that
// opens a block may be empty, so that an empty block is seen as well.
func (f *fences) write(text string) []Piece {
	if f.cr {
		text, f.cr = "\r"+text, false
	}
	if strings.HasSuffix(text, "\r") {
		text, f.cr = text[:len(text)-1], true
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var pieces []Piece
	for text != "" && f.blocks <= maxBlocks {
		line := text
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			line = text[:end+1]
		}
		text = text[len(line):]
		pieces = append(pieces, f.line(line)...)
	}
	return pieces
}

// close ends the text and reports whether a block is still open.
func (f *fences) close() (pieces []Piece, open bool) {
	if f.cr {
		f.cr = false
		pieces = f.line("\r")
	}
	line := f.held
	f.held = ""
	if line != "" {
		pieces = append(pieces, f.whole(line)...)
	}
	return pieces, f.open.width > 0 && f.blocks <= maxBlocks
}

// line takes a part of a line that holds a newline at its end or nowhere.
func (f *fences) line(part string) []Piece {
	ended := strings.HasSuffix(part, "\n")
	if f.midLine {
		f.midLine = !ended
		return []Piece{f.piece(part)}
	}
	line := f.held + part
	f.held = ""
	if ended {
		return f.whole(line)
	}
	if mayBeFence(line) {
		f.held = line
		return nil
	}
	f.midLine = true
	return []Piece{f.body(line)}
}

// whole takes a complete line, held back so far.
func (f *fences) whole(line string) []Piece {
	mark, ok := parseFence(line)
	switch {
	case ok && f.open.width == 0:
		f.open = mark
		f.blocks++
		return []Piece{f.piece("")}
	case ok && mark.mark == f.open.mark && mark.width >= f.open.width && mark.label == "":
		f.open = fence{}
		return nil
	}
	return []Piece{f.body(line)}
}

// body takes the indentation of the open block off the start of a line.
func (f *fences) body(line string) Piece {
	for range f.open.indent {
		if line == "" || line[0] != ' ' && line[0] != '\t' {
			break
		}
		line = line[1:]
	}
	return f.piece(line)
}

func (f *fences) piece(text string) Piece {
	if f.open.width == 0 {
		return Piece{Kind: Prose, Text: text}
	}
	return Piece{Kind: Code, Text: text, Block: f.blocks, Language: language(f.open.label)}
}

// mayBeFence reports whether a line that starts like this can be a fence. It
// holds for every beginning of a line that parseFence accepts.
func mayBeFence(start string) bool {
	if len(start) > maxFenceLine {
		return false
	}
	rest := strings.TrimLeft(start, " \t")
	if rest == "" {
		return true
	}
	marks := strings.TrimLeft(rest, rest[:1])
	switch width := len(rest) - len(marks); {
	case rest[0] != '`' && rest[0] != '~':
		return false
	case width < 3:
		return marks == ""
	}
	return rest[0] == '~' || !strings.Contains(marks, "`")
}

func parseFence(line string) (fence, bool) {
	line = strings.TrimSuffix(line, "\n")
	rest := strings.TrimLeft(line, " \t")
	if rest == "" || !mayBeFence(line) {
		return fence{}, false
	}
	label := strings.TrimLeft(rest, rest[:1])
	width := len(rest) - len(label)
	if width < 3 {
		return fence{}, false
	}
	return fence{mark: rest[0], width: width, indent: len(line) - len(rest), label: strings.TrimSpace(label)}, true
}

// language is the first word of a label, without the decoration of some
// dialects of Markdown: "{.cuda}".
func language(label string) string {
	word, _, _ := strings.Cut(label, " ")
	return strings.ToLower(strings.Trim(word, "{.}"))
}
