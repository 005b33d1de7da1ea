package extract

import "strings"

// loose is the second look at an answer that has no closed block whose fences
// stand on lines of their own. It reads fences as Kevin's pattern does: three
// backticks anywhere, a label and the end of the line, and all up to the next
// three backticks. Of several such blocks it takes the first that defines what is
// wanted, else the first.
func (s *Stream) loose() (found looseBlock, ok bool) {
	const marks = "```"
	text := strings.ReplaceAll(s.answer.String(), "\r\n", "\n")
	for at, blocks := 0, 0; blocks < maxBlocks; {
		start := strings.Index(text[at:], marks)
		if start < 0 {
			return found, ok
		}
		start += at
		label, ended := looseLabel(text[start+len(marks):])
		if !ended {
			at = start + len(marks)
			continue
		}
		code, after, closed := strings.Cut(text[start+len(marks)+len(label)+1:], marks)
		if !closed {
			return found, ok
		}
		blocks++
		at = len(text) - len(after)
		b := looseBlock{before: text[:start], code: code, after: after, language: language(strings.TrimSpace(label))}
		if strings.TrimSpace(code) == "" {
			continue
		}
		if s.defines(code) {
			return b, true
		}
		if !ok {
			found, ok = b, true
		}
	}
	return found, ok
}

// looseLabel is the rest of a line behind a fence, if it can be a label.
func looseLabel(text string) (label string, ok bool) {
	label, _, ended := strings.Cut(text[:min(len(text), maxFenceLine)], "\n")
	return label, ended && !strings.ContainsAny(strings.TrimSpace(label), " \t`(")
}

// looseBlock is a block and the text around it.
type looseBlock struct{ before, code, after, language string }

func (b looseBlock) result(wanted string, defined bool) Result {
	kernel, whole := bounded(strings.TrimRight(b.code, " \t\n") + "\n")
	r := Result{
		Kernel: kernel, Language: b.language, Usable: whole,
		Rule:     "a code block inside a line",
		Summary:  shortened(strings.TrimSpace(b.after)),
		Problems: []string{"the fences of the code block do not stand on lines of their own"},
	}
	if r.Summary == "" {
		r.Summary = shortened(strings.TrimSpace(b.before))
	}
	if !defined {
		r.Problems = append(r.Problems, "the code block does not define "+wanted)
	}
	if !whole {
		r.Problems = append(r.Problems, tooLarge())
	}
	return r
}
