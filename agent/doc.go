// Package agent refines one kernel with a model and a person, turn by turn.
//
// A [Session] owns one run. It asks a [Model] for a kernel, has a gpu.Evaluator
// judge it, hands every fact to a [Recorder] and then to its observer as an
// [Event], and acts on the [Command]s a person sends. It knows nothing of
// screens or of how models, evaluators and records are made. Without a person it
// follows a [Plan], within an [Allowance].
//
// Events are the product: typed, ordered, and enough to rebuild any screen. A
// [State] is what a stream of events adds up to; a live screen, plain output
// and a stored run all use the same one.
//
// Start at session.go, then event.go. obey.go answers a person, alone.go goes on
// without one, begin.go prepares a turn, marks.go keeps what a person thinks of one,
// and turn.go takes it from prompt to score. Below: llm (client), demo (scripted
// model), prompt, extract, reward, record, batch (many sessions without a person),
// canary (whether a model still writes as usual). Nothing here may import ui.
package agent
