package ui

import "time"

// meter estimates how fast the text of one reply arrives, over the last few seconds.
type meter struct {
	samples []sample
}

type sample struct {
	at    time.Time
	bytes int
}

const (
	meterSpan     = 4 * time.Second
	bytesPerToken = 4 // of source and English; the count of the server is shown once it is known
)

func (m *meter) add(at time.Time, bytes int) {
	old := 0
	for old < len(m.samples) && at.Sub(m.samples[old].at) > meterSpan {
		old++
	}
	m.samples = append(m.samples[old:], sample{at, bytes})
}

// heard is when the newest text arrived, the zero time before any.
func (m *meter) heard() time.Time {
	if len(m.samples) == 0 {
		return time.Time{}
	}
	return m.samples[len(m.samples)-1].at
}

// tokens is the rate in tokens a second, 0 while too little is known. The first
// sample only says when counting began.
func (m *meter) tokens() int {
	if len(m.samples) < 2 {
		return 0
	}
	span := m.samples[len(m.samples)-1].at.Sub(m.samples[0].at)
	if span < 200*time.Millisecond {
		return 0
	}
	bytes := 0
	for _, s := range m.samples[1:] {
		bytes += s.bytes
	}
	return int(float64(bytes)/bytesPerToken/span.Seconds() + 0.5)
}
