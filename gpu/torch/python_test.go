package torch

import (
	"os/exec"
	"testing"
)

// TestPython runs the tests of the Python programs.
func TestPython(t *testing.T) {
	cmd := exec.Command(found(t).Python, "-B", "-m", "unittest", "discover", "-v", "-s", "tests", "-t", ".")
	cmd.Dir = "python"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if testing.Verbose() {
		t.Logf("%s", out)
	}
}
