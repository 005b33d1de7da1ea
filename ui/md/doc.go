// Package md renders the prose of models: Markdown that arrives in pieces.
//
// A [Prose] splits it into finished blocks and an open tail. Finished blocks are
// rendered once, by [Render], which is slow and pure and belongs into a command;
// its result is kept in a [Cache]. Until then, and for the tail always, the text
// is shown wrapped and plain. Joined blocks look as the whole rendered at once;
// where that is in doubt, blocks stay together.
//
// Start at prose.go, then split.go.
package md
