// Package term is everything hone knows of terminals: what one can show
// ([Profile]), what may reach one ([Clean]), how wide text is on one ([Width],
// [Fit], [Wrap]), how frames get there untorn ([Writer]) and how text leaves it
// for a clipboard ([Clipboard]).
//
// It is the only package that measures text and the only one that writes
// control sequences other than colours. It reads no environment variable: what
// it needs to know of the environment is passed in. Start at clean.go and
// width.go.
package term
