package process

import (
	"context"
	"fmt"
	"strings"
)

const maxLayers = 32

// StartError says that a program ran but did not greet.
type StartError struct {
	Fault Fault
	Said  string // what the process printed, as one line
}

func (e *StartError) Error() string {
	if e.Said == "" {
		return e.Fault.Sentence()
	}
	return fmt.Sprintf("%s; it printed %q", e.Fault.Sentence(), e.Said)
}

// greet waits for the hello message.
func (p *Process) greet(ctx context.Context) error {
	reply, fault, err := p.await(ctx, p.program.Limits.Start, func() error { return nil })
	if err == nil && fault == nil {
		if p.layers, err = parseHello(reply.lines); err != nil {
			fault, err = p.explain(ctx, p.program.Limits.Start, err)
		}
	}
	if fault != nil {
		return &StartError{Fault: *fault, Said: strings.TrimSpace(clean(p.Output()))}
	}
	return err
}

// parseHello reads the layers of containment that the program put on itself.
func parseHello(lines [][]string) (map[string]string, error) {
	if len(lines) == 0 || len(lines) > maxLayers || len(lines[0]) != 2 || lines[0][0] != "protocol" {
		return nil, Malformedf("the greeting names no protocol")
	}
	if lines[0][1] != "1" {
		return nil, Malformedf("the greeting speaks protocol %q, not 1", clean(lines[0][1]))
	}
	layers := make(map[string]string)
	for _, line := range lines[1:] {
		if len(line) != 3 || line[0] != "layer" {
			return nil, Malformedf("the greeting has an unknown line")
		}
		layers[clean(line[1])] = clean(line[2])
	}
	return layers, nil
}
