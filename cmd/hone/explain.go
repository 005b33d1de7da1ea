package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The exit codes of every verb.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNoCorrect   = 3
	exitModel       = 4
	exitEvaluator   = 5
	exitInterrupted = 130
)

// usageError is a command line, configuration or file that cannot be used.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// noCorrectKernel ends a run, or an evaluation, that gave no correct kernel. The
// verdict has been shown already, so it prints nothing.
type noCorrectKernel struct{}

func (noCorrectKernel) Error() string { return "no correct kernel" }

// tasksWanting ends a lint that found something. The findings have been shown
// already, so it prints nothing.
type tasksWanting struct{}

func (tasksWanting) Error() string { return "tasks with findings" }

// modelError wraps what went wrong between hone and a model.
type modelError struct{ err error }

func (e modelError) Error() string { return e.err.Error() }
func (e modelError) Unwrap() error { return e.err }

// evaluatorError wraps why kernels cannot be judged here.
type evaluatorError struct{ err error }

func (e evaluatorError) Error() string { return e.err.Error() }
func (e evaluatorError) Unwrap() error { return e.err }

// explain turns any error into what a person reads and the exit code. It is the
// only place that does.
func explain(err error) (string, int) {
	var usage usageError
	var model modelError
	var evaluator evaluatorError
	switch {
	case err == nil:
		return "", exitOK
	case errors.As(err, &noCorrectKernel{}), errors.As(err, &tasksWanting{}):
		return "", exitNoCorrect
	case errors.Is(err, context.Canceled):
		return "interrupted", exitInterrupted
	case errors.As(err, &usage):
		return usage.text, exitUsage
	case errors.As(err, &model):
		return sentence(model), exitModel
	case errors.As(err, &evaluator):
		return sentence(evaluator), exitEvaluator
	case cobraUsage(err):
		return fmt.Sprintf("%v (see --help)", err), exitUsage
	}
	return sentence(err), exitFailure
}

func sentence(err error) string { return strings.TrimSpace(err.Error()) }

// cobraUsage recognises cobra's own complaints, which have no type.
func cobraUsage(err error) bool {
	for _, prefix := range []string{
		"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "invalid argument", "flag needs an argument",
		"bad flag syntax", "if any flags in the group",
	} {
		if strings.HasPrefix(err.Error(), prefix) {
			return true
		}
	}
	return false
}
