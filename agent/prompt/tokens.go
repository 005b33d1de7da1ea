package prompt

// Tokens estimates how many tokens a text is for a usual tokenizer: 3.5 bytes
// each in ASCII, one for every other character. It is high rather than low.
func Tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (2*ascii+6)/7 + other
}

// most is the factor by which a count may differ from the estimate. One beyond it
// counts something else, such as only what was not cached.
const most = 2

// Scale corrects the estimate by what a server counted for a prompt that it was
// sent before: its tokenizer, and what its chat template adds. The zero value
// corrects nothing.
type Scale struct {
	Estimate int // of that prompt
	Counted  int // tokens, by the server
}

// ScaleOf is the scale that one prompt and the server's count of it give.
func ScaleOf(messages []Message, counted int) Scale {
	estimate := Scale{}.Of(messages)
	if counted <= 0 {
		return Scale{}
	}
	return Scale{Estimate: estimate, Counted: min(max(counted, estimate/most), estimate*most)}
}

func (s Scale) known() bool { return s.Estimate > 0 && s.Counted > 0 }

// Of is what messages take, rounded up.
func (s Scale) Of(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += Tokens(m.Content)
	}
	if s.known() {
		n = (n*s.Counted + s.Estimate - 1) / s.Estimate
	}
	return n
}
