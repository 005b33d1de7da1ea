package compile

import (
	"sort"
	"strings"
)

// edit replaces the bytes [start, end) of a text.
type edit struct {
	start, end int
	pieces     []piece
}

// piece is a part of a replacement. A copied piece repeats the original from
// origin on, byte by byte; any other stands for the start of its edit.
type piece struct {
	text   string
	origin int
	copied bool
}

// made is a piece that the original does not have.
func made(text string) piece { return piece{text: text} }

// copyOf repeats a part of the original.
func copyOf(src string, r tokenRange) piece {
	return piece{text: src[r.start:r.end], origin: r.start, copied: true}
}

// rewritten is a text after its edits, with the way back. It has the same number
// of lines as the original, and what no edit covers is unchanged.
type rewritten struct {
	text     string
	original string
	segments []segment
}

// segment maps the rewritten text from at on, up to the next segment.
type segment struct {
	at     int
	origin int
	copied bool // byte by byte; otherwise all of it stands for origin
}

// apply makes the edits, which must not overlap.
func apply(src string, edits []edit) rewritten {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	r := rewritten{original: src}
	var out strings.Builder
	add := func(p piece) {
		r.segments = append(r.segments, segment{out.Len(), p.origin, p.copied})
		out.WriteString(p.text)
	}
	pos := 0
	for _, e := range edits {
		if e.start < pos {
			continue
		}
		add(copyOf(src, tokenRange{pos, e.start}))
		for _, p := range e.pieces {
			if !p.copied {
				p.origin = e.start
			}
			add(p)
		}
		pos = e.end
	}
	add(copyOf(src, tokenRange{pos, len(src)}))
	r.text = out.String()
	return r
}

// position maps a line and column of the rewritten text, in bytes and from 1, to
// the original. A column of 0 or beyond the line is kept as it is.
func (r rewritten) position(line, column int) (int, int) {
	start := lineStart(r.text, line)
	if column < 1 || start < 0 || start+column-1 > len(r.text) {
		return line, column
	}
	offset := r.origin(start + column - 1)
	before := r.original[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// generated reports whether a position of the rewritten text has no counterpart
// in the original.
func (r rewritten) generated(line, column int) bool {
	start := lineStart(r.text, line)
	if column < 1 || start < 0 || start+column-1 > len(r.text) {
		return false
	}
	s, ok := r.segment(start + column - 1)
	return ok && !s.copied
}

// segment finds the segment that an offset lies in.
func (r rewritten) segment(offset int) (segment, bool) {
	i := sort.Search(len(r.segments), func(i int) bool { return r.segments[i].at > offset }) - 1
	if i < 0 {
		return segment{}, false
	}
	return r.segments[i], true
}

func (r rewritten) origin(offset int) int {
	s, _ := r.segment(offset)
	if s.copied {
		return min(s.origin+offset-s.at, len(r.original))
	}
	return s.origin
}

// lineStart is the offset of a line counted from 1, -1 when there is none.
func lineStart(s string, line int) int {
	offset := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(s[offset:], '\n')
		if i < 0 {
			return -1
		}
		offset += i + 1
	}
	return offset
}
