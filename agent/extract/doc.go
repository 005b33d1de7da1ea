// Package extract takes a model's reply apart: the thought, the kernel, the
// summary. Nothing is lost silently: [Result] names the rule by which a block
// was taken and everything odd about the reply.
//
// The rules are Kevin's (arXiv 2507.11948) with one of ours for the two
// dialects: after the thought, the first fenced block that defines solve, or the
// class ModelNew where a Python file is wanted, else the first with a fitting
// label, else the first block. Where no block stands on lines of its own, a second
// look takes fences inside lines, as Kevin's pattern does. A block that never
// closes, or a reply that hit its length limit, is kept for the eye but never
// trusted.
//
// [Reply] works on a whole reply. A [Stream] does the same while it arrives and
// says of each piece whether it is thought, prose or code; both are one
// algorithm, linear in the length of the reply. Start at reply.go; below it are
// fences.go (code blocks), thoughts.go (think tags) and loose.go (the second look).
package extract
