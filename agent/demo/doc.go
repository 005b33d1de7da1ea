// Package demo is a scripted model behind a real HTTP server on the loopback
// interface, speaking the OpenAI protocol. A session talks to it with the same
// client as to any other model, so that a demo exercises the real path.
//
// The server finds the task by the reference in the prompt and the turn by the
// attempts that the prompt tells of. It keeps no session; all it remembers is
// which prompts it has answered, so that a retry may get a variation. Who samples a
// prompt several times at once asks in as many lanes, which do not depend on each
// other: every reply is then the same in every run, whatever comes first.
//
// # Scripts
//
// A script is scripts/NAME.md for the built-in task NAME:
//
//	=== turn
//	--- thought
//	Reasoning, any text.
//	--- reply
//	Markdown with one fenced block, then a summary.
//	=== turn variation=1
//	...
//
// Fields after "=== turn" are key=value. A turn with variation=N is no turn of its
// own but another answer to the turn before it, given when the same prompt comes
// again. Unknown keys are ignored.
//
// Start at [Start], then answer.go.
package demo
