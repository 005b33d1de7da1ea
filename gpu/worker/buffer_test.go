package worker

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/quick"
	"time"
)

func TestLayout(t *testing.T) {
	t.Parallel()
	page := int64(os.Getpagesize())
	property := func(raw uint32) bool {
		bytes := int64(raw%(1<<24)) + 1
		l := LayoutOf(bytes)
		end := l.Offset + bytes
		return l.Size%page == 0 && l.Size >= bytes+page && l.Size < bytes+2*page &&
			l.Offset%alignment == 0 && end <= l.Size && l.Size-end < alignment && l.Offset > 0
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
	for bytes, want := range map[int64]Layout{
		1:        {2 * page, 2*page - alignment},
		page:     {2 * page, page},
		page + 1: {3 * page, 2*page - alignment},
	} {
		if got := LayoutOf(bytes); got != want {
			t.Errorf("LayoutOf(%d) = %+v, want %+v", bytes, got, want)
		}
	}
}

func TestDamageCountsBothSides(t *testing.T) {
	t.Parallel()
	b := buffers(t, 1000)[0]
	b.Fill(0)
	if before, after := b.Damage(); before != 0 || after != 0 {
		t.Errorf("filling the data damages the guards: %d, %d", before, after)
	}
	b.mapped[b.layout.Offset-1] = 0
	b.mapped[b.layout.Offset+1000] = 0
	b.mapped[len(b.mapped)-1] = 0
	if before, after := b.Damage(); before != 1 || after != 2 {
		t.Errorf("Damage = %d, %d; want 1, 2", before, after)
	}
}

func TestFillSetsEveryByte(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 2, 3, 1000, 4097} {
		b := buffers(t, size)[0]
		b.Fill(0x5A)
		if got := bytes.Count(b.Data(), []byte{0x5A}); got != int(size) {
			t.Errorf("%d of %d bytes are set", got, size)
		}
		if before, after := b.Damage(); before+after != 0 {
			t.Errorf("filling %d bytes damages the guards: %d, %d", size, before, after)
		}
	}
}

func TestCloseTwiceIsHarmless(t *testing.T) {
	t.Parallel()
	b := buffers(t, 10)[0]
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWorkerCannotShrinkABuffer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can seal memory")
	}
	p := load(t, "shrink")
	b := buffers(t, 100)
	if fault, err := p.Map(t.Context(), b); fault != nil || err != nil {
		t.Fatalf("map: %v, %v", fault, err)
	}
	result, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute})
	if fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	if got := result.Findings[0].Evidence; !strings.Contains(got, "not permitted") {
		t.Errorf("shrinking the buffer: %q, want a refusal", got)
	}
	b[0].Fill(1)
}
