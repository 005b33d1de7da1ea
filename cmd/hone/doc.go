// Hone refines GPU kernels with a language model, turn by turn.
//
// This package is the command line: one file per verb, and the only place that
// reads the environment, handles signals, chooses exit codes and joins the
// other packages together. Start at root.go, then wire.go.
package main
