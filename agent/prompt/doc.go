// Package prompt turns a task and the turns so far into the messages a model
// is sent. It is pure text: it calls no model and keeps no state.
//
// The policy is Kevin's (arXiv 2507.11948, appendix D): one user message; an
// example on the first turn only; every earlier kernel, its summary and its
// feedback, oldest first; no earlier thoughts; whole oldest turns dropped when
// the budget is exceeded. The texts are templates, in a folder per prompt set.
// Start at [Build].
package prompt
