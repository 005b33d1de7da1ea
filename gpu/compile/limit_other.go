//go:build !linux

package compile

// limitResources does nothing where a running process cannot be limited: only
// the time limit holds there.
func limitResources(int) {}
