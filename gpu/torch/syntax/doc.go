// Package syntax takes an answer apart for the rules: the syntax tree of its
// Python by a helper program of the Python that will run it, the CUDA C++ in it
// by package compile's lexer.
//
// It executes nothing of the answer, and its words are judged elsewhere (package
// rules below tasks). Start at [Read].
package syntax
