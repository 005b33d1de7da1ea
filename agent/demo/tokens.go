package demo

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxWord is the most letters in one piece.
const maxWord = 7

// pieces cuts text where a tokenizer might: words with the space before them,
// line breaks with the indentation after them, marks one by one. Together they
// are the text again.
func pieces(text string) []string {
	var all []string
	for text != "" {
		n := piece(text)
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// piece is the length of the first piece.
func piece(text string) int {
	if text[0] == ' ' {
		if n := word(text[1:]); n > 0 {
			return 1 + n
		}
	}
	if n := word(text); n > 0 {
		return n
	}
	blank := 0
	for blank < len(text) && (text[blank] == ' ' || text[blank] == '\n') {
		blank++
	}
	if blank > 0 {
		return blank
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// word is the length of the letters and digits that text begins with, bounded.
func word(text string) int {
	n, letters := 0, 0
	for _, r := range text {
		if letters == maxWord || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			break
		}
		n += utf8.RuneLen(r)
		letters++
	}
	return n
}

// pace spreads pieces over time: a steady rate on average, each delay a little
// shorter or longer. The same text always gets the same delays.
type pace struct {
	rate float64 // pieces per second; not positive: no delay
	rng  *rand.Rand
	next time.Time
}

func newPace(rate float64, text string) *pace {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails
	return &pace{rate: rate, rng: rand.New(rand.NewPCG(h.Sum64(), 0)), next: time.Now()}
}

// thinking is how many pieces' time passes before the first one.
const thinking = 30

// tick is the shortest sleep: at high rates a few pieces come together, as from
// real servers, instead of waking everybody for each.
const tick = 5 * time.Millisecond

// wait blocks until the time of n more pieces has passed.
func (p *pace) wait(ctx context.Context, n float64) error {
	if p.rate <= 0 {
		return ctx.Err()
	}
	p.next = p.next.Add(p.delay(n))
	left := time.Until(p.next)
	if left < tick {
		return ctx.Err()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// delay is the time of n pieces, off by at most spread.
func (p *pace) delay(n float64) time.Duration {
	const spread = 0.6
	seconds := n / p.rate * (1 - spread + 2*spread*p.rng.Float64())
	return time.Duration(seconds * float64(time.Second))
}
