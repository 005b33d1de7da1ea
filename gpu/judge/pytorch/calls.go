package pytorch

import (
	"context"
	"time"

	"example.com/hone/gpu/process"
)

// maxBatch is how many calls are made without a pause at most.
const maxBatch = 500

// calls are batches of the answer, on the first set that it was lent.
func (e *evaluation) calls(ctx context.Context, count int) (*process.Fault, error) {
	_, fault, err := e.own.call(ctx, call{repeat: count, limit: e.req.Limits.Run * time.Duration(count)})
	return fault, err
}

// calls are batches of eager on the judge's own tensors.
func (r *reference) calls(ctx context.Context, count int) (*process.Fault, error) {
	return r.process.Repeat(ctx, 0, count, loadLimit)
}
