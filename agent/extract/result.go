package extract

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// end is how a reply ended.
type end struct {
	reason      string // the server's
	cut         bool
	blockOpen   bool
	thoughtOpen bool
}

// result chooses the kernel's block and says why.
func (s *Stream) result(e end) Result {
	r := Result{Thought: strings.TrimSpace(s.thought.String())}
	blocks, solvers := s.blocks()
	if !e.early() && !e.thoughtOpen && (len(blocks) == 0 || e.blockOpen && len(blocks) == 1) {
		if b, ok := s.loose(); ok {
			r = b.result(s.wanted(), s.defines(b.code))
			r.Thought, r.Problems = strings.TrimSpace(s.thought.String()), append(r.Problems, e.problems()...)
			return r
		}
	}
	if len(blocks) == 0 {
		r.Rule = "no code block"
		r.Truncated = e.early() || e.thoughtOpen || e.blockOpen
		r.Summary = s.summary(nil)
		r.Problems = append([]string{s.whyNone(e)}, e.problems()...)
		return r
	}
	chosen := blocks[0]
	if len(solvers) > 0 {
		chosen = solvers[0]
	} else if labelled := s.labelled(blocks); labelled != nil {
		chosen = labelled
	}
	r.Language, r.Summary = chosen.language, s.summary(chosen)
	r.Rule, r.Problems = rule(s.wanted(), chosen, blocks, len(solvers))
	if e.blockOpen {
		r.Truncated = chosen == s.parts[len(s.parts)-1]
		r.Problems = append(r.Problems, unclosed(r.Truncated))
	}
	r.Truncated = r.Truncated || e.early()
	r.Problems = append(r.Problems, e.problems()...)
	kernel, whole := bounded(chosen.text.String())
	if !whole {
		r.Problems = append(r.Problems, tooLarge())
	}
	if s.fences.blocks > maxBlocks {
		r.Problems = append(r.Problems, fmt.Sprintf("the reply has more than %d code blocks; the rest was ignored", maxBlocks))
	}
	r.Kernel, r.Usable = kernel, whole && !r.Truncated
	return r
}

func tooLarge() string {
	return fmt.Sprintf("the code block is larger than %d KiB and was cut; ask for a shorter kernel", maxKernel>>10)
}

// labelled is the first block whose label names the language of an answer, the
// surest label first, or nil.
func (s *Stream) labelled(blocks []*part) *part {
	labels := [][]string{{"cuda", "cu", "cuda-cpp", "cuda-c++"}, {"cpp", "c++", "cc", "cxx", "c"}}
	if s.Torch {
		labels = [][]string{{"python", "py", "python3"}}
	}
	for _, sure := range labels {
		for _, b := range blocks {
			if slices.Contains(sure, b.language) {
				return b
			}
		}
	}
	return nil
}

// blocks lists the blocks that are not blank, and those that define what is wanted.
func (s *Stream) blocks() (all, solvers []*part) {
	for _, p := range s.parts {
		if p.kind != Code || strings.TrimSpace(p.text.String()) == "" {
			continue
		}
		all = append(all, p)
		if s.defines(p.text.String()) {
			solvers = append(solvers, p)
		}
	}
	return all, solvers
}

func (s *Stream) whyNone(e end) string {
	switch {
	case e.thoughtOpen:
		return "the reply ends inside its reasoning, before any answer; ask again or raise max_tokens"
	case s.fences.blocks > 0:
		return "the code block is empty"
	case len(s.parts) == 0 && s.thought.Len() > 0:
		return "the reply ends with its reasoning and gives no answer; ask again or raise max_tokens"
	case len(s.parts) == 0:
		return "the reply is empty"
	}
	return "the reply has no fenced code block"
}

// rule says which of the blocks was chosen and why, and what is odd about it.
func rule(wanted string, chosen *part, blocks []*part, solvers int) (why string, problems []string) {
	place := 1
	for i, b := range blocks {
		if b == chosen {
			place = i + 1
		}
	}
	switch {
	case solvers == 0 && len(blocks) == 1:
		return "the only code block", []string{"the code block does not define " + wanted}
	case solvers == 0 && place > 1:
		return fmt.Sprintf("block %d of %d, the first labelled %s, as none defines %s", place, len(blocks), chosen.language, wanted),
			[]string{"no code block defines " + wanted}
	case solvers == 0:
		return fmt.Sprintf("the first of %d code blocks, as none defines %s", len(blocks), wanted),
			[]string{"no code block defines " + wanted}
	case len(blocks) == 1:
		return "the only code block", nil
	case solvers > 1:
		return fmt.Sprintf("block %d of %d, the first of %d that define %s", place, len(blocks), solvers, wanted),
			[]string{fmt.Sprintf("%d code blocks define %s", solvers, wanted)}
	}
	return fmt.Sprintf("block %d of %d, the one that defines %s", place, len(blocks), wanted), nil
}

func unclosed(chosen bool) string {
	if chosen {
		return "the code block never closes, so the kernel is not complete; ask again or raise max_tokens"
	}
	return "a later code block never closes; the one taken does"
}

// limited reports whether a length limit ended the reply, in the words of any
// server.
func (e end) limited() bool {
	return slices.Contains([]string{"length", "max_tokens", "max_output_tokens", "model_length"}, strings.ToLower(e.reason))
}

// early reports whether the reply ended before the model ended it.
func (e end) early() bool {
	return e.cut || e.limited() || strings.EqualFold(e.reason, "content_filter")
}

// Whole reports whether the model ended a reply itself, by the server's finish reason.
func Whole(finishReason string) bool { return !end{reason: finishReason}.early() }

func (e end) problems() []string {
	switch {
	case e.limited():
		return []string{"the reply hit its length limit; raise max_tokens"}
	case strings.EqualFold(e.reason, "content_filter"):
		return []string{"the server's content filter cut the reply off; ask again"}
	case e.cut:
		return []string{"the reply was cut off"}
	case e.reason != "" && e.reason != "stop":
		return []string{fmt.Sprintf("the reply ended with %.40q", e.reason)}
	}
	return nil
}

// summary is the prose after the chosen block, else the prose before it.
func (s *Stream) summary(chosen *part) string {
	var before, after strings.Builder
	into := &before
	for _, p := range s.parts {
		if p == chosen {
			into = &after
		}
		if p.kind == Prose && into.Len() <= maxSummary {
			text, _ := cut(p.text.String(), maxSummary)
			into.WriteString(text)
		}
	}
	text := strings.TrimSpace(after.String())
	if text == "" {
		text = strings.TrimSpace(before.String())
	}
	return shortened(text)
}

// shortened cuts a summary that is too long.
func shortened(text string) string {
	if short, whole := cut(text, maxSummary); !whole {
		return short + "..."
	}
	return text
}

// bounded cuts a kernel that is too large, at the end of a line.
func bounded(kernel string) (text string, whole bool) {
	text, whole = cut(kernel, maxKernel)
	if !whole {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text, whole
}

// cut shortens text to at most limit bytes, between two characters.
func cut(text string, limit int) (short string, whole bool) {
	if len(text) <= limit {
		return text, true
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], false
}
