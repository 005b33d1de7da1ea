package spelling

import (
	"fmt"
	"sort"
)

// Nearest lists the known words that the given one may be a misspelling of, the
// likeliest first: at most a third of the letters may differ.
func Nearest(word string, known []string) []string {
	type candidate struct {
		word     string
		distance int
	}
	var close []candidate
	for _, k := range known {
		if d := editDistance(word, k); d <= max(1, len(k)/3) {
			close = append(close, candidate{k, d})
		}
	}
	sort.SliceStable(close, func(i, j int) bool { return close[i].distance < close[j].distance })
	words := make([]string, len(close))
	for i, c := range close {
		words[i] = c.word
	}
	return words
}

// DidYouMean is the tail of a message about an unknown word, "" without a guess.
func DidYouMean(word string, known []string) string {
	near := Nearest(word, known)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", near[0])
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that lead from a to b. Swaps count once: they are the commonest slip.
func editDistance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
