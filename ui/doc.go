// Package ui is hone's terminal screen, on Bubble Tea.
//
// There is one tea.Model, [Model]. It owns the size, the screen on show, the
// overlays and every message: each message has one method, in update_*.go.
// The screens (browse, refine, diff, runs) are plain structs that hold view
// state and draw themselves; what they show of a session is an agent.State fed
// by its events, so that a stored run gives the same screen as a live one.
//
// Update and View do no I/O. What reads, waits, highlights or copies is a
// command (commands.go) that returns a message; a message of a session that is
// no longer on screen carries an old generation and is dropped.
//
// Start at model.go, then refine.go. Below: term (width, cleaning, clipboard),
// theme, keys, code (highlighting), md (prose), figures (numbers in words), plain (no
// screen), progress (of a run without a person).
package ui
