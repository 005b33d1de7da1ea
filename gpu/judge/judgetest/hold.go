package judgetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/hone/gpu"
)

// held is for how long a kernel is kept from running, once it is built.
const held = 100 * time.Millisecond

// Hold has an evaluator keep a correct kernel from running twice: the first time it is
// withdrawn, after which undamaged looks at what it would have been judged by; the second
// time it may run.
func Hold(t *testing.T, judge gpu.Evaluator, req gpu.Request, undamaged func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hold := make(chan struct{})
	req.Hold = hold
	after := func(do func()) func(gpu.Event) {
		return func(e gpu.Event) {
			switch {
			case e.Stage == gpu.StageCompile && e.Status == gpu.StatusOK:
				time.AfterFunc(held, do)
			case e.Stage == gpu.StageRun && req.Held():
				t.Error("it runs before it may")
			}
		}
	}
	if _, err := judge.Evaluate(ctx, req, after(cancel)); !errors.Is(err, context.Canceled) {
		t.Errorf("withdrawn: error %v, want context.Canceled", err)
	}
	undamaged()
	v, err := judge.Evaluate(t.Context(), req, after(func() { close(hold) }))
	if err != nil || v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("allowed to run: %s, %v", v.Summary, err)
	}
}
