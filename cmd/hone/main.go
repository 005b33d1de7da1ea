package main

import (
	"os"

	_ "example.com/hone/ui/term/quiet" // keeps an import of the screen library from asking the terminal questions
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(run(os.Args[1:], systemStreams())) }
