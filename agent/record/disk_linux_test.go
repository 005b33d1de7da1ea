package record

import (
	"errors"
	"syscall"
	"testing"

	"example.com/hone/agent"
)

// A real full disk: a small file system in memory, which only root may mount.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("hone-test", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	l, err := Create(dir, session())
	must(t, err)
	defer l.Close()
	e := durable()[0]
	var written int64
	for err == nil && written < 1000 {
		e.Seq = written + 1
		if err = l.Append(e); err == nil {
			written++
		}
		e.Kind, e.Data = agent.KindNoticed, &agent.Noticed{Text: "a line of some length, so that the disk fills up in a while"}
	}
	var failed *WriteError
	if !errors.As(err, &failed) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d events: %v, want a full disk", written, err)
	}
	events, _ := mustRead(t, l.Path())
	if int64(len(events)) < written {
		t.Errorf("%d events are there, %d were acknowledged", len(events), written)
	}
}
