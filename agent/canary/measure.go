package canary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultOpenings is how thoughts of QwQ, Kevin and their kin begin. With the
// comma "Okay Amigos" is unusual, as Kevin counts it.
func DefaultOpenings() []string { return []string{"Okay,"} }

// opens reports whether a thought begins exactly with one of the openings. White
// space before it does not count; case does.
func opens(thought string, openings []string) bool {
	thought = strings.TrimSpace(thought)
	return slices.ContainsFunc(openings, func(o string) bool { return strings.HasPrefix(thought, o) })
}

// A repeated phrase is gram words that also stood among the last window words.
// Without a window the share would grow with the length of a text.
const (
	gram   = 4
	window = 256
)

// Repetition is the share of 4-grams of words that have occurred already within
// the 256 words before. Up to 256 words that is seq-rep-4, 1 - distinct/all
// 4-grams (Welleck et al., arXiv 1908.04319). Nil below 4 words.
func Repetition(text string) *float64 {
	words := strings.Fields(text)
	all := len(words) - gram + 1
	if all < 1 {
		return nil
	}
	last := make(map[[gram]string]int, all)
	repeated := 0
	for i := range all {
		phrase := [gram]string(words[i : i+gram])
		if at, ok := last[phrase]; ok && i-at <= window {
			repeated++
		}
		last[phrase] = i
	}
	return share(repeated, all)
}

// Junk is the share of characters that are no text (control, unassigned, private
// or undecodable) or belong to a script that is expected neither in English nor in
// formulas: neither Latin nor Greek. Emoji, symbols and digits are text. Words that
// mean nothing are not seen. Nil for an empty text.
func Junk(text string) *float64 {
	junk := 0
	for _, r := range text {
		if isJunk(r) {
			junk++
		}
	}
	return share(junk, utf8.RuneCountInString(text))
}

func isJunk(r rune) bool {
	switch {
	case r == unicode.ReplacementChar: // also what does not decode
		return true
	case unicode.IsSpace(r):
		return r == '\v' || r == '\f' || r == '\u0085'
	case unicode.Is(unicode.Cf, r): // joiners of emoji, soft hyphens
		return false
	case !unicode.IsGraphic(r):
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Common, unicode.Inherited)
}

// share is a part of a whole, nil if there is no whole.
func share(part, all int) *float64 {
	if all == 0 {
		return nil
	}
	s := float64(part) / float64(all)
	return &s
}
