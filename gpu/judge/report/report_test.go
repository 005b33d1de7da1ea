package report

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/gpu"
)

// stagesOf are stages that each take a second, and what was begun of them.
func stagesOf(begun *[]gpu.Stage, fails gpu.Stage) map[gpu.Stage]Stage {
	all := map[gpu.Stage]Stage{}
	for _, s := range gpu.Stages() {
		all[s] = func(ctx context.Context) (string, error) {
			*begun = append(*begun, s)
			if s == fails {
				return "", errors.New("broken")
			}
			select {
			case <-time.After(time.Second):
				return "", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	}
	return all
}

// A kernel runs only once it may, and what takes part is in order if it never did.
func TestHold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		released  time.Duration // after the start, 0 for never
		cancelled time.Duration
		fails     gpu.Stage
		begun     int // stages
		ended     time.Duration
		withdrawn bool
	}{
		{"released while it compiles", time.Second, 0, "", 5, 5 * time.Second, false},
		{"released later", time.Minute, 0, "", 5, time.Minute + 3*time.Second, false},
		{"cancelled while it compiles", 0, 1500 * time.Millisecond, "", 2, 1500 * time.Millisecond, true},
		{"cancelled while it is held", 0, time.Minute, "", 2, time.Minute, true},
		{"cancelled while it runs", time.Second, 2500 * time.Millisecond, "", 3, 2500 * time.Millisecond, false},
		{"broken before it ran", 0, 0, gpu.StageCompile, 2, time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				hold := make(chan struct{})
				if tt.released > 0 {
					time.AfterFunc(tt.released, func() { close(hold) })
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancelled > 0 {
					time.AfterFunc(tt.cancelled, cancel)
				}
				var begun []gpu.Stage
				r := New(gpu.Request{Hold: hold}, func(gpu.Event) {})
				began := time.Now()
				v, err := r.Judge(ctx, stagesOf(&begun, tt.fails), func() map[string]string { return map[string]string{} })
				if took := time.Since(began); took != tt.ended {
					t.Errorf("took %s, want %s", took, tt.ended)
				}
				if want := gpu.Stages()[:tt.begun]; !slices.Equal(begun, want) {
					t.Errorf("begun %v, want %v", begun, want)
				}
				if got := r.Withdrawn(ctx); got != tt.withdrawn {
					t.Errorf("withdrawn: %t, want %t (%v)", got, tt.withdrawn, err)
				}
				for _, s := range v.Stages {
					if s.MS != 1000 {
						t.Errorf("stage %s took %v ms: the wait is no stage's", s.Name, s.MS)
					}
				}
			})
		})
	}
}
