package report

import (
	"time"

	"example.com/hone/gpu"
)

// progress tells the observer how the stages go, and keeps how they went.
type progress struct {
	observe func(gpu.Event)
	results []gpu.StageResult
	began   time.Time
	stage   gpu.Stage
}

func (p *progress) begin(stage gpu.Stage) {
	p.stage, p.began = stage, time.Now()
	p.emit(gpu.StatusRunning, "")
}

// step says where within a stage the evaluation is.
func (p *progress) step(detail string) { p.emit(gpu.StatusRunning, detail) }

func (p *progress) end(status gpu.Status, detail string) {
	p.results = append(p.results, gpu.StageResult{
		Name: p.stage, Status: status, MS: float64(time.Since(p.began).Microseconds()) / 1e3, Detail: detail,
	})
	p.emit(status, detail)
}

func (p *progress) emit(status gpu.Status, detail string) {
	p.observe(gpu.Event{Stage: p.stage, Status: status, Detail: detail, Elapsed: time.Since(p.began)})
}

// all lists every stage, those never reached as skipped.
func (p *progress) all() []gpu.StageResult {
	list := append([]gpu.StageResult(nil), p.results...)
	for _, stage := range gpu.Stages()[len(list):] {
		list = append(list, gpu.StageResult{Name: stage, Status: gpu.StatusSkipped})
	}
	return list
}
