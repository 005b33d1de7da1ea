package record

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
)

// writerVariable makes the test binary a process that writes a record until it
// is killed, and says on stdout how far it is.
const writerVariable = "HONE_TEST_RECORD_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		fmt.Fprintln(os.Stderr, writeForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver appends events, every third with a long text, and acknowledges
// each after Append returned.
func writeForEver(dir string) error {
	l, err := Create(dir, session())
	if err != nil {
		return err
	}
	e := durable()[0]
	for n := int64(1); ; n++ {
		if n > 1 {
			text := fmt.Sprintf("event %d", n)
			if n%3 == 0 {
				text = strings.Repeat(text+" ", 1000)
			}
			e.Kind, e.Data = agent.KindNoticed, &agent.Noticed{Text: text}
		}
		e.Seq = n
		if err := l.Append(e); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// startWriter runs a writing process and returns its acknowledgements.
func startWriter(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerVariable+"="+dir)
	out, err := writer.StdoutPipe()
	must(t, err)
	must(t, writer.Start())
	t.Cleanup(func() { _ = writer.Process.Kill(); _ = writer.Wait() })
	return writer, bufio.NewScanner(out)
}

// acknowledged reads n acknowledgements, or to the end if n is 0, and returns the last.
func acknowledged(t *testing.T, acks *bufio.Scanner, n int) int {
	t.Helper()
	last := 0
	for (n == 0 || last < n) && acks.Scan() {
		k, err := strconv.Atoi(acks.Text())
		must(t, err)
		last = k
	}
	return last
}

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 8, 40} {
		t.Run(strconv.Itoa(after), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writer, acks := startWriter(t, dir)
			acknowledged(t, acks, after)
			must(t, writer.Process.Kill())
			last := max(after, acknowledged(t, acks, 0))
			_ = writer.Wait()

			path, err := Find(dir, "last")
			must(t, err)
			l, events, err := Resume(path, time.Now())
			must(t, err)
			must(t, l.Close())
			if len(events) < last+1 {
				t.Fatalf("%d events after recovery, want at least the %d acknowledged and a notice", len(events), last)
			}
			again, problems := mustRead(t, path)
			if len(problems) > 0 || len(again) != len(events) {
				t.Errorf("after recovery: %d events, want %d; problems %v", len(again), len(events), problems)
			}
			if last >= 3 && !strings.HasPrefix(again[2].Data.(*agent.Noticed).Text, "event 3 event 3") {
				t.Errorf("a long text is lost: %v", again[2].Data)
			}
		})
	}
}
