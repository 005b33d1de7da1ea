package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// streams are where a command reads and writes, and what is known of them.
type streams struct {
	in          io.Reader
	out         io.Writer
	err         io.Writer
	inTTY       bool
	outTTY      bool
	outFile     *os.File // nil when out is no file
	environment func(string) string
}

func systemStreams() *streams {
	return &streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTTY:       term.IsTerminal(int(os.Stdin.Fd())),
		outTTY:      term.IsTerminal(int(os.Stdout.Fd())),
		outFile:     os.Stdout,
		environment: os.Getenv,
	}
}

// interactive reports whether a screen can be drawn.
func (s *streams) interactive() bool {
	return s.inTTY && s.outTTY && s.environment("TERM") != "dumb"
}
