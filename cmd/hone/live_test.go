package main

import (
	"testing"

	"example.com/hone/agent"
)

func TestQueueKeepsOrderAndNeverBlocksTheWriter(t *testing.T) {
	t.Parallel()
	const n = 10_000
	q := newBacklog()
	for i := range n { // nobody reads yet: a bounded queue would deadlock here
		q.put(agent.Event{Seq: int64(i)})
	}
	out, done := make(chan agent.Event), make(chan struct{})
	go q.deliver(out, done)
	go func() {
		for i := range n {
			q.put(agent.Event{Seq: int64(n + i)})
		}
		q.close()
	}()
	want := int64(0)
	for e := range out {
		if e.Seq != want {
			t.Fatalf("event %d came where %d was due", e.Seq, want)
		}
		want++
	}
	<-done
	if want != 2*n {
		t.Fatalf("%d events came, want %d", want, 2*n)
	}
}
