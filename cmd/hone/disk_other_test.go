//go:build !linux

package main

import "testing"

// smallDisk skips: only Linux mounts one in a test.
func smallDisk(t *testing.T) string {
	t.Helper()
	t.Skip("no small disk on this system")
	return ""
}
