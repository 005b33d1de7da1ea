// Package spelling guesses what a misspelt word was meant to be, for messages
// about unknown tasks, keys and names. It compares words by their letters alone, and
// knows no list of its own: the caller says which words there are. See [Nearest].
package spelling
