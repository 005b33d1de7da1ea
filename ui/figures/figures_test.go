package figures

import (
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{Speedup(2.314), "2.31x"}, {Speedup(12.34), "12.3x"}, {Speedup(1234), "1234x"},
		{Micros(0.123), "0.123 us"}, {Micros(3.456), "3.46 us"}, {Micros(41.26), "41.3 us"}, {Micros(412.7), "413 us"},
		{Micros(1190), "1.19 ms"}, {Micros(2.5e6), "2.50 s"},
		{Micros(9.996), "10.0 us"}, {Micros(99.96), "100 us"}, {Micros(999.6), "1.00 ms"}, {Micros(999_600), "1.00 s"}, {Micros(0.99996), "1.00 us"},
		{Range(41.1, 41.4), "41.1 to 41.4 us"}, {Range(657, 3100), "657 us to 3.10 ms"},
		{Range(12.961, 13.038), "12.96 to 13.04 us"}, {Range(198.11, 198.13), "198.11 to 198.13 us"},
		{Range(5, 5), "5.00 to 5.00 us"}, {Range(1201.4, 1201.9), "1.201 to 1.202 ms"}, {Range(999, 1010), "999 us to 1.01 ms"},
		{Span(-1), "0 ms"}, {Span(999 * time.Millisecond), "999 ms"}, {Span(1900 * time.Millisecond), "1.9 s"},
		{Span(42 * time.Second), "42 s"}, {Span(125 * time.Second), "2m05s"},
		{Clock(7 * time.Second), "0:07"}, {Clock(time.Hour + 62*time.Second), "1:01:02"},
		{Age(now, now.Add(-time.Second)), "now"}, {Age(now, now.Add(-3*time.Hour)), "3h ago"},
		{Age(now, now.Add(-30*time.Hour)), "yesterday"}, {Age(now, now.Add(-90*time.Hour)), "3d ago"}, {Age(now, time.Time{}), "-"},
		{Count(16384), "16,384"}, {Count(-1234567), "-1,234,567"}, {Count(999), "999"},
		{Error(nil), "unknown"}, {Plural(1, "line"), "1 line"}, {Plural(1200, "line"), "1,200 lines"},
		{Dims([3]int64{128, 1, 1}), "128"}, {Dims([3]int64{16, 16, 1}), "16x16"}, {Dims([3]int64{1, 1, 2}), "1x1x2"},
		{Throttled([]string{"power limit", "too hot (software)"}), "clocks held down: power limit, too hot (software)"},
		{Throttled(nil), "clocks held down"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestThreeDigits holds every time to three digits, whichever way it is rounded.
func TestThreeDigits(t *testing.T) {
	t.Parallel()
	for us := 0.1; us < 9e8; us *= 1.000_37 {
		number, _, _ := strings.Cut(Micros(us), " ")
		if digits := strings.TrimLeft(strings.ReplaceAll(number, ".", ""), "0"); len(digits) != 3 {
			t.Fatalf("%v us is written as %q", us, Micros(us))
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	clock, power := 1980.0, 186.4
	if got := strings.Join(State(gpu.Timing{ClockMHz: &clock, Power: &power}), ", "); got != "1980 MHz, 186 W" {
		t.Errorf("got %q", got)
	}
	if got := State(gpu.Timing{}); len(got) != 0 {
		t.Errorf("nothing is known, and yet %q", got)
	}
}
