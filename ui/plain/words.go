package plain

import (
	"fmt"
	"strings"

	"example.com/hone/ui/term"
)

// oneLine makes text safe to print in one line.
func oneLine(s string) string { return strings.Join(strings.Fields(term.Clean(s)), " ") }

// words writes an identifier as words: "compile error".
func words(id string) string { return strings.ReplaceAll(id, "_", " ") }

func ratio(s float64) string { return fmt.Sprintf("%.2fx", s) }
