package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Speedup writes a ratio of times: "2.31x".
func Speedup(s float64) string {
	switch {
	case s >= 100:
		return fmt.Sprintf("%.0fx", s)
	case s >= 10:
		return fmt.Sprintf("%.1fx", s)
	}
	return fmt.Sprintf("%.2fx", s)
}

// Micros writes a duration of so many microseconds with three digits.
func Micros(us float64) string {
	const rounds = 0.9995 // of a unit are one, in three digits
	switch {
	case us >= rounds*1e6:
		return Digits(us/1e6) + " s"
	case us >= rounds*1e3:
		return Digits(us/1e3) + " ms"
	}
	return Digits(us) + " us"
}

// Range writes an interval of microseconds, its unit once if it can, and
// with as many digits as tell its ends apart.
func Range(low, high float64) string {
	a, b := Micros(low), Micros(high)
	number, unit, _ := strings.Cut(a, " ")
	if !strings.HasSuffix(b, " "+unit) {
		return a + " to " + b
	}
	scale := map[string]float64{"s": 1e6, "ms": 1e3, "us": 1}[unit]
	for more := 1; a == b && low < high && more <= 2; more++ {
		number = strconv.FormatFloat(low/scale, 'f', decimals(low/scale)+more, 64)
		a, b = number+" "+unit, strconv.FormatFloat(high/scale, 'f', decimals(low/scale)+more, 64)+" "+unit
	}
	return number + " to " + b
}

// Digits writes a number with three digits.
func Digits(v float64) string { return strconv.FormatFloat(v, 'f', decimals(v), 64) }

// decimals is how many digits behind the point make three in all, once v is rounded to them.
func decimals(v float64) int {
	switch {
	case v >= 99.95:
		return 0
	case v >= 9.995:
		return 1
	case v >= 0.9995:
		return 2
	}
	return 3
}

// Span writes how long something took: "3 ms", "0.4 s", "12 s", "2m05s".
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// Clock writes elapsed time as a clock: "0:07", "12:41", "1:02:03".
func Clock(d time.Duration) string {
	s := max(0, int(d.Seconds()))
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Age writes how long ago t was, coarsely: a list's column, not a log.
func Age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "-"
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 48*time.Hour:
		return "yesterday"
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// formatCount groups thousands: 16,384.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Value writes one element of a tensor.
func Value(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Error writes an error of a comparison: two digits are all it is worth.
func Error(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return strconv.FormatFloat(*v, 'g', 2, 64)
}

// Plural writes so many of something whose plural ends in "s": "1 line", "1,200 lines".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %ss", Count(int64(n)), one)
}
