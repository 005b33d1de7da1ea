// Package prompt turns a task and the turns so far into the messages a model
// is sent. It is pure text: it calls no model and keeps no state.
//
// The words are templates, gathered in a [Set]: "kevin" is one user message as
// in Kevin's paper (arXiv 2507.11948, appendix D), "chat" tells the same in
// roles, and a folder of templates is a person's own. The policy is Kevin's for
// all of them: every earlier kernel, its summary and its feedback, oldest first;
// no earlier thoughts; whole oldest turns left out when the budget is exceeded.
//
// Start at [Build], then [Load]. values.go is what a template can say, check.go
// finds what is wrong with one, text.go is the form in which a person edits a
// prompt.
package prompt
