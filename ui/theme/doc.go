// Package theme holds the only colours and glyphs of the screens. A [Theme] is
// made once from a [term.Profile] and passed down as a value; nothing here asks
// the terminal or keeps state.
//
// The rules: one accent; text in the terminal's own colour; no painted screens;
// and every state also told by a word or glyph, since a theme may have no
// colour at all. Start at theme.go, then palette.go.
package theme
