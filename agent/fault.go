package agent

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// guard runs code that may panic, so that a fault in it ends a turn and not the
// session. The error names the place.
func guard(run func()) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error at %s: %v; please report it", faultLine(), fault)
		}
	}()
	run()
	return nil
}

// faultLine is the file and line that panicked, for the function that recovers.
func faultLine() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// line is an error in one line, for places that show or store one.
func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
