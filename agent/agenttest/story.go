package agenttest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
)

//go:embed kernels/*.cu
var kernels embed.FS

// Kernel is the kernel of turn n of [Story].
func Kernel(n int) string {
	text, err := kernels.ReadFile(fmt.Sprintf("kernels/%d.cu", n))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Story is a whole session, live events included: a kernel that does not
// compile, a wrong one, a slow one, a faster one, a person's edit of it that is
// rejected, and a branch with a hint, from the slow one, that is accepted.
func Story() []agent.Event {
	return tell(narrator{
		device: emulation, emulated: true, compiler: "g++ 12.2.0",
		same: func(v gpu.Verdict) gpu.Verdict { return v }, correct: Correct, edited: Correct(Kernel(5), 1.86),
		rejection: "no real difference to turn 4",
	})
}

// GPUStory is the same session on a GPU, where the edit's time is not believed.
func GPUStory() []agent.Event {
	return tell(narrator{
		device: card, compiler: "NVRTC 13.0, g++ 12.2.0",
		same: onCard, correct: CorrectOnGPU, edited: Unbelievable(Kernel(5)),
		rejection: "it cannot be that fast",
	})
}

// narrator is what differs between two tellings of the story.
type narrator struct {
	device    string
	emulated  bool
	compiler  string
	same      func(gpu.Verdict) gpu.Verdict // a failure, as this device reports it
	correct   func(kernel string, speedup float64) gpu.Verdict
	edited    gpu.Verdict
	rejection string // of the edit
}

func tell(by narrator) []agent.Event {
	s := &story{narrator: by, now: epoch(), session: id(0)}
	s.open()
	s.modelTurn(1, 0, agent.ActionNext, "", s.same(CompileError(Kernel(1))), reply{
		thought: "The rows are independent, so the simplest plan is one thread per row: find the maximum, " +
			"sum the exponentials of the differences, then divide. No shared memory is needed for that.",
		before:  "I give every row to one thread, which walks it three times.",
		summary: "One thread per row: maximum, sum of exponentials, division. Subtracting the maximum keeps expf in range.",
	})
	s.modelTurn(2, 1, agent.ActionNext, "", s.same(Mismatch(Kernel(2))), reply{
		thought: "The compiler does not know `maximum`; the variable is called `largest`. Everything else stays.",
		before:  "The name was wrong in the second loop.",
		summary: "Same kernel with the misspelt variable corrected.",
	})
	s.modelTurn(3, 2, agent.ActionNext, "", s.correct(Kernel(3), 0.71), reply{
		thought: "Rows from 256 on were never written: M / 128 rounds down, so the last partial block is missing. " +
			"The kernel already guards `row >= rows`, hence rounding the grid up is enough.",
		before:  "The grid has to be rounded up.",
		summary: "The grid now covers the last partial block of rows.",
	})
	s.modelTurn(4, 3, agent.ActionNext, "", s.correct(Kernel(4), 1.84), reply{
		thought: "It is correct but slow. Neighbouring threads read addresses a whole row apart, so nothing coalesces. " +
			"With one block per row the threads stride over neighbouring columns, and two tree reductions in " +
			"shared memory give the maximum and the sum.",
		before:  "One block per row, so that loads coalesce.",
		summary: "One block of 256 threads per row; maximum and sum are reduced in shared memory.",
	})
	s.edit(5, 4, s.edited)
	s.reject(5, s.rejection)
	s.branch(3, "A warp can own a row: keep the running maximum and sum in registers.")
	s.modelTurn(6, 3, agent.ActionBranch, "A warp can own a row: keep the running maximum and sum in registers.",
		s.correct(Kernel(6), 2.63), reply{
			thought: "A warp per row needs no barrier. Each lane keeps a running maximum and a sum rescaled to it, " +
				"so the row is read once for both; two shuffle reductions join the lanes.",
			before:  "One warp per row, with an online softmax in registers.",
			summary: "Online maximum and sum per lane, joined by warp shuffles; the row is read twice and no barrier is used.",
		})
	s.accept(6)
	s.add(0, agent.KindSessionEnded, &agent.SessionEnded{Reason: "accepted", Best: 6, Accepted: 6})
	return s.events
}

type reply struct{ thought, before, summary string }

func (r reply) content(kernel string) string {
	return r.before + "\n\n```cuda\n" + kernel + "```\n\n" + r.summary + "\n"
}

// story collects events on a clock of its own.
type story struct {
	narrator
	events  []agent.Event
	now     time.Time
	session string
	seq     int
}

func (s *story) wait(d time.Duration) { s.now = s.now.Add(d) }

func (s *story) add(turn int, kind agent.Kind, data any) {
	s.wait(1370 * time.Microsecond)
	e := agent.Event{
		Kind: kind, Time: s.now, Mono: s.now.Sub(epoch()), Session: s.session, Turn: turn,
		Actor: agent.ActorHarness, Data: data,
	}
	switch kind {
	case agent.KindTextDelta, agent.KindModelResponded:
		e.Actor = agent.ActorModel
	case agent.KindHumanActed:
		e.Actor = agent.ActorHuman
	}
	if !kind.Live() {
		s.seq++
		e.Seq, e.ID = int64(s.seq), id(s.seq)
	}
	s.events = append(s.events, e)
}

func (s *story) open() {
	s.add(0, agent.KindSessionStarted, &agent.SessionStarted{
		Version: "0.1.0", Model: "scripted-32b", Endpoint: "127.0.0.1:4000", Scripted: true, Dialect: "cuda",
		Device: s.device, Emulated: s.emulated, Gamma: 0.4,
	})
	pinned := agent.Pin(Task())
	s.add(0, agent.KindTaskPinned, &pinned)
	s.add(0, agent.KindEnvironment, &agent.Environment{Facts: map[string]string{
		"device": s.device, "compiler": s.compiler, "cores": "2", "os": "linux/amd64",
	}})
}

func (s *story) modelTurn(n, parent int, why agent.Action, hint string, v gpu.Verdict, r reply) {
	if n > 1 && why == agent.ActionNext {
		s.wait(4 * time.Second)
		s.act(parent, agent.HumanActed{Action: agent.ActionNext})
	}
	s.add(n, agent.KindTurnStarted, &agent.TurnStarted{
		Parent: parent, Source: agent.SourceModel, Reason: why, Hint: hint,
	})
	text := fmt.Sprintf("Write a faster kernel for this task.\n\n%s\n%s\n", reference, hint)
	if parent > 0 {
		text += "Your last attempt was:\n\n```cuda\n" + Kernel(parent) + "```\n"
	}
	s.add(n, agent.KindPromptBuilt, &agent.PromptBuilt{
		Messages: []prompt.Message{{Role: "user", Content: text}}, Template: "kevin/cuda", Tokens: len(text) / 4,
	})
	request := (&Model{}).Describe()
	s.add(n, agent.KindModelRequested, &request)
	s.stream(n, r.thought, r.content(Kernel(n)))
	s.add(n, agent.KindCodeExtracted, &agent.CodeExtracted{
		Kernel: Kernel(n), SHA256: digest(Kernel(n)), Language: "cuda",
		Rule: "the only block", Summary: r.summary,
	})
	s.judge(n, v)
}

func (s *story) stream(n int, thought, content string) {
	asked := s.now
	s.wait(240 * time.Millisecond)
	first := s.now.Sub(asked)
	for _, part := range []agent.TextDelta{{Reasoning: true, Text: thought}, {Text: content}} {
		for _, piece := range pieces(part.Text, 14) {
			s.wait(38 * time.Millisecond)
			s.add(n, agent.KindTextDelta, &agent.TextDelta{Reasoning: part.Reasoning, Text: piece})
		}
	}
	s.add(n, agent.KindModelResponded, &agent.ModelResponded{
		Content: content, Reasoning: thought, FinishReason: "stop", Complete: true,
		Usage: agent.Usage{
			Prompt: 812, Completion: (len(content) + len(thought)) / 4, Reasoning: len(thought) / 4,
		},
		FirstToken: &first, Total: s.now.Sub(asked),
	})
}

func (s *story) judge(n int, v gpu.Verdict) {
	s.stages(n, v)
	s.add(n, agent.KindEvaluated, &agent.Evaluated{Verdict: &v})
	s.add(n, agent.KindScored, &agent.Scored{Scorer: "kevin", Score: v.Score})
	s.add(n, agent.KindTurnEnded, &agent.TurnEnded{Outcome: string(v.Outcome), Summary: v.Summary})
}

func (s *story) stages(n int, v gpu.Verdict) {
	for _, e := range stageEvents(v) {
		s.wait(e.Elapsed)
		s.add(n, agent.KindStageChanged, &e)
	}
}

func (s *story) act(turn int, h agent.HumanActed) {
	seen := s.now.Add(-3 * time.Second)
	h.ShownAt, h.DecidedAt = &seen, s.now
	s.add(turn, agent.KindHumanActed, &h)
}

func (s *story) edit(n, parent int, v gpu.Verdict) {
	s.wait(21 * time.Second)
	before, after := Kernel(parent), Kernel(n)
	s.act(parent, agent.HumanActed{
		Action: agent.ActionEdit, Before: before, After: after,
		Diff: udiff.Unified(fmt.Sprintf("turn %d", parent), "edited", before, after),
	})
	s.add(n, agent.KindTurnStarted, &agent.TurnStarted{
		Parent: parent, Source: agent.SourceHuman, Reason: agent.ActionEdit,
	})
	s.add(n, agent.KindCodeExtracted, &agent.CodeExtracted{
		Kernel: after, SHA256: digest(after), Language: "cuda", Rule: "edited by hand",
	})
	s.judge(n, v)
}

func (s *story) reject(turn int, why string) {
	s.wait(6 * time.Second)
	s.act(turn, agent.HumanActed{Action: agent.ActionReject, Text: why})
}

func (s *story) branch(from int, text string) {
	s.wait(15 * time.Second)
	s.act(from, agent.HumanActed{Action: agent.ActionBranch, Text: text})
}

func (s *story) accept(turn int) {
	s.wait(5 * time.Second)
	s.add(turn, agent.KindNoticed, &agent.Noticed{
		Level: agent.LevelInfo,
		Text:  fmt.Sprintf("final check of turn %d: fresh inputs, and sizes it has not seen", turn),
	})
	v := s.correct(Kernel(turn), 2.61)
	s.stages(turn, v)
	s.add(turn, agent.KindEvaluated, &agent.Evaluated{Verdict: &v, Accept: true})
	s.act(turn, agent.HumanActed{Action: agent.ActionAccept})
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
