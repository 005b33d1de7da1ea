package roofline

import (
	"fmt"
	"math"
	"sort"
)

// Curve is the least time of moving bytes, for one mix of reading and writing.
type Curve struct {
	Reads  int     `json:"reads"`  // arrays read
	Writes int     `json:"writes"` // arrays written, all of one size
	Points []Point `json:"points"` // by ascending bytes, and never faster for more of them
}

// Point is the best time of one size.
type Point struct {
	Bytes int64   `json:"bytes"` // read and written together
	US    float64 `json:"us"`    // microseconds from a cold cache
	Best  string  `json:"best"`  // the kernel that reached it
}

// Name says what the curve's kernels do.
func (c Curve) Name() string {
	switch {
	case c.Writes == 0:
		return "read"
	case c.Reads == 0:
		return "write"
	case c.Reads == c.Writes:
		return "copy"
	}
	return fmt.Sprintf("read %d, write %d", c.Reads, c.Writes)
}

// share is the part of the bytes that is written.
func (c Curve) share() float64 { return float64(c.Writes) / float64(c.Reads+c.Writes) }

// at is the time for so many bytes: between two points by a power law, which is
// exact for a constant latency as well as for a constant rate; below the first
// its latency, above the last its rate.
func (c Curve) at(bytes float64) float64 {
	p := c.Points
	last := p[len(p)-1]
	switch {
	case bytes <= float64(p[0].Bytes):
		return p[0].US
	case bytes >= float64(last.Bytes):
		return last.US * bytes / float64(last.Bytes)
	}
	i := sort.Search(len(p), func(i int) bool { return float64(p[i].Bytes) > bytes })
	low, high := p[i-1], p[i]
	slope := math.Log(high.US/low.US) / math.Log(float64(high.Bytes)/float64(low.Bytes))
	return low.US * math.Pow(bytes/float64(low.Bytes), slope)
}

// settle makes times ascend: whoever moves more bytes has moved fewer as well.
func (c Curve) settle() {
	for i := len(c.Points) - 2; i >= 0; i-- {
		c.Points[i].US = min(c.Points[i].US, c.Points[i+1].US)
	}
}

// valid reports whether at has an answer for all bytes.
func (c Curve) valid() bool {
	if c.Reads < 0 || c.Writes < 0 || c.Reads+c.Writes == 0 || len(c.Points) == 0 {
		return false
	}
	var before Point
	for _, p := range c.Points {
		if p.Bytes <= before.Bytes || !(p.US > 0) || p.US < before.US || math.IsInf(p.US, 0) {
			return false
		}
		before = p
	}
	return true
}

// memoryUS is the least time in microseconds of reading and writing so many
// bytes: between the two curves whose mixes are nearest.
func (p Peaks) memoryUS(read, written int64) float64 {
	bytes := float64(read + written)
	share := float64(written) / bytes
	i := sort.Search(len(p.Memory), func(i int) bool { return p.Memory[i].share() >= share })
	switch {
	case i == 0:
		return p.Memory[0].at(bytes)
	case i == len(p.Memory):
		return p.Memory[i-1].at(bytes)
	}
	low, high := p.Memory[i-1], p.Memory[i]
	part := (share - low.share()) / (high.share() - low.share())
	return low.at(bytes)*(1-part) + high.at(bytes)*part
}
