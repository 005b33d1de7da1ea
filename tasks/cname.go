package tasks

import (
	"fmt"
	"slices"
	"strings"
)

// CName is a name for a parameter of solve that is as like a text as C allows, and none
// of those taken: "fc_weight" for "fc.weight", "xs_0" for "xs[0]".
func CName(text string, taken []string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r > 0x7F || !isIdentifier("_"+string(r))
	})
	name := strings.Join(words, "_")
	if name == "" || !isIdentifier(name) {
		name = "t" + name // it begins with a digit, or nothing is left of it
	}
	if slices.Contains(reservedNames(), name) {
		name += "_"
	}
	free := name
	for n := 2; slices.Contains(taken, free); n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}
