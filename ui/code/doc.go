// Package code shows source text that is still being written. A [Buffer] is fed
// the pieces of a stream, keeps them as lines, colours each line once when it is
// complete, and draws windows of them with line numbers and marks. [Highlight]
// colours a whole text at once, for the pass at the end of a turn, which changes
// colours only.
//
// Everything is a function of the text: no I/O, no clock, no goroutine. Start at
// buffer.go; context.go explains how a line is coloured without its predecessors,
// cuda.go adds CUDA to chroma's languages.
package code
