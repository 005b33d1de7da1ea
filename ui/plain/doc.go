// Package plain shows sessions, verdicts and lists of runs without a screen: as
// lines of text for people and pipes, or as one JSON object per line. Its output
// has no control codes, no box glyphs and nothing that moves, whatever a model or
// a compiler wrote.
//
// A stored session prints as it did when it was live. Start at [Printer].
package plain
