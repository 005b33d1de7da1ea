//go:build linux

package quiet_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	_ "example.com/hone/ui/term/quiet"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"golang.org/x/sys/unix"
)

// asChild makes a copy of the test program stand for the program: with "start"
// it only starts, as hone version does; with "ask" it asks the terminal as
// Bubble Tea's import would, to show that the question would be seen.
const asChild = "HONE_TEST_QUIET_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(asChild) {
	case "start":
		_ = tea.Quit // the import is what matters
		fmt.Println("started")
	case "ask":
		lipgloss.NewRenderer(os.Stdout).HasDarkBackground()
	default:
		os.Exit(m.Run())
	}
}

// backgroundQuery is OSC 11, "what is the background colour?"
const backgroundQuery = "\x1b]11;?"

// answer is a colour, and the place of the cursor, which is asked for next.
const answer = "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[1;1R"

func TestStartAsksTheTerminalNothing(t *testing.T) {
	t.Parallel()
	out := onTerminal(t, "start")
	if !strings.Contains(out, "started") || strings.Contains(out, "\x1b") {
		t.Errorf("at its start the program wrote %q", out)
	}
}

func TestAQuestionWouldBeSeen(t *testing.T) {
	t.Parallel()
	if out := onTerminal(t, "ask"); !strings.Contains(out, backgroundQuery) {
		t.Errorf("the terminal was asked, but only %q was seen", out)
	}
}

// onTerminal runs the child on a terminal of its own, which answers with a
// colour at once, and returns all that the child wrote there.
func onTerminal(t *testing.T, mode string) string {
	t.Helper()
	master, slave := openTerminal(t)
	command := exec.Command(os.Args[0])
	command.Env = []string{asChild + "=" + mode, "TERM=xterm-256color"}
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	var out bytes.Buffer
	buf := make([]byte, 4096)
	answered := false
	for {
		n, err := master.Read(buf)
		out.Write(buf[:n])
		if !answered && strings.Contains(out.String(), backgroundQuery) {
			answered = true
			_, _ = master.WriteString(answer)
		}
		if err != nil {
			break
		}
	}
	_ = command.Wait()
	return out.String()
}

func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	master = os.NewFile(uintptr(fd), "master")
	t.Cleanup(func() { _ = master.Close() })
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return master, slave
}
