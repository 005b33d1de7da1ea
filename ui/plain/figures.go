package plain

import (
	"fmt"
	"strings"
	"time"

	"example.com/hone/ui/term"
)

// oneLine makes text safe to print in one line.
func oneLine(s string) string { return strings.Join(strings.Fields(term.Clean(s)), " ") }

// words writes an identifier as words: "compile error".
func words(id string) string { return strings.ReplaceAll(id, "_", " ") }

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func ratio(s float64) string { return fmt.Sprintf("%.2fx", s) }

// micros writes so many microseconds with three digits and the unit that fits.
func micros(us float64) string { return precise(us, 3) }

// precise is micros with some other number of digits.
func precise(us float64, digits int) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.*g s", digits, us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.*g ms", digits, us/1e3)
	}
	return fmt.Sprintf("%.*g us", digits, us)
}

// interval writes its ends with as many digits as tell them apart.
func interval(low, high float64) string {
	const most = 5
	digits := 3
	for digits < most && low < high && precise(low, digits) == precise(high, digits) {
		digits++
	}
	return precise(low, digits) + " to " + precise(high, digits)
}

func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
