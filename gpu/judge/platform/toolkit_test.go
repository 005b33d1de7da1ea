package platform

import (
	"context"
	"errors"
	"testing"
)

// Work that cannot be stopped keeps nobody who has given it up.
func TestAbandonable(t *testing.T) {
	t.Parallel()
	if got, err := abandonable(t.Context(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ends := make(chan struct{})
	defer close(ends)
	_, err := abandonable(ctx, func() (int, error) {
		cancel()
		<-ends
		return 7, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
