package agent

import (
	"fmt"
	"time"

	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
)

// Event is one fact about a session, in the order in which it happened. Data
// holds the struct that belongs to Kind; see [NewData].
type Event struct {
	Kind    Kind
	ID      string // ULID; empty for events that are not durable
	Seq     int64  // 1, 2, 3, ... over the durable events of a session
	Time    time.Time
	Mono    time.Duration // since the session started, immune to clock changes
	Session string        // ULID
	Group   string        // ULID of the run that samples this task several times, "" for none
	Turn    int           // 1, 2, 3, ... in order of creation; 0: about the session
	Actor   Actor
	Data    any
}

// Actor is who caused an event.
type Actor string

// The actors.
const (
	ActorHarness Actor = "harness"
	ActorModel   Actor = "model"
	ActorHuman   Actor = "human"
)

// Kind names an event, on disk too.
type Kind string

// The events. Those marked live are shown but never recorded: the durable event
// that ends their stage carries all they said.
const (
	KindSessionStarted Kind = "session.start"   // SessionStarted
	KindTaskPinned     Kind = "task.pinned"     // TaskPinned
	KindEnvironment    Kind = "env.fingerprint" // Environment
	KindTurnStarted    Kind = "turn.start"      // TurnStarted
	KindPromptBuilt    Kind = "prompt.built"    // PromptBuilt
	KindModelChanged   Kind = "model.changed"   // ModelChanged
	KindModelRequested Kind = "model.request"   // ModelRequested
	KindPromptDrafted  Kind = "prompt.draft"    // PromptDrafted, live: nothing was sent
	KindTextDelta      Kind = "text.delta"      // TextDelta, live
	KindStageAhead     Kind = "stage.ahead"     // gpu.Event, live: of a kernel that is built while its reply goes on
	KindModelResponded Kind = "model.response"  // ModelResponded
	KindCodeExtracted  Kind = "code.extracted"  // CodeExtracted
	KindStageChanged   Kind = "stage.changed"   // gpu.Event, live
	KindEvaluated      Kind = "eval.result"     // Evaluated
	KindScored         Kind = "score.assigned"  // Scored
	KindTurnEnded      Kind = "turn.end"        // TurnEnded
	KindHumanActed     Kind = "human.action"    // HumanActed
	KindNoticed        Kind = "notice"          // Noticed
	KindSessionEnded   Kind = "session.end"     // SessionEnded
)

// Live reports whether events of this kind are shown but not recorded.
func (k Kind) Live() bool {
	switch k {
	case KindTextDelta, KindStageAhead, KindStageChanged, KindPromptDrafted:
		return true
	}
	return false
}

// NewData returns a pointer to the zero Data of a kind, for decoding, or nil
// for a kind this version does not know.
func NewData(k Kind) any {
	switch k {
	case KindSessionStarted:
		return new(SessionStarted)
	case KindTaskPinned:
		return new(TaskPinned)
	case KindEnvironment:
		return new(Environment)
	case KindTurnStarted:
		return new(TurnStarted)
	case KindPromptBuilt:
		return new(PromptBuilt)
	case KindPromptDrafted:
		return new(PromptDrafted)
	case KindModelChanged:
		return new(ModelChanged)
	case KindModelRequested:
		return new(ModelRequested)
	case KindTextDelta:
		return new(TextDelta)
	case KindModelResponded:
		return new(ModelResponded)
	case KindCodeExtracted:
		return new(CodeExtracted)
	case KindStageAhead, KindStageChanged:
		return new(gpu.Event)
	case KindEvaluated:
		return new(Evaluated)
	case KindScored:
		return new(Scored)
	case KindTurnEnded:
		return new(TurnEnded)
	case KindHumanActed:
		return new(HumanActed)
	case KindNoticed:
		return new(Noticed)
	case KindSessionEnded:
		return new(SessionEnded)
	}
	return nil
}

// SessionStarted opens every session.
type SessionStarted struct {
	Version  string  `json:"version"` // of hone
	Profile  string  `json:"profile,omitempty"`
	Model    string  `json:"model"`
	Endpoint string  `json:"endpoint"` // host only, never a key
	Scripted bool    `json:"scripted"` // the built-in demo model
	Dialect  string  `json:"dialect"`
	Device   string  `json:"device"`   // "CPU emulation" or the GPU's name
	Emulated bool    `json:"emulated"` // times are not GPU times
	Gamma    float64 `json:"gamma"`
	Group    string  `json:"group,omitempty"` // of the trajectories of one task in one run
	Plan     *Plan   `json:"plan,omitempty"`  // turns to take without being asked

	PromptSet       string `json:"prompt_set,omitempty"`
	PromptSetSHA256 string `json:"prompt_set_sha256,omitempty"` // of its templates
}

// TaskPinned fixes what is being solved.
type TaskPinned struct {
	ID        string `json:"task_id"`
	Title     string `json:"title"`
	Level     int    `json:"level"`
	SHA256    string `json:"task_sha256"`
	Reference string `json:"reference"` // the PyTorch file
	Signature string `json:"signature"` // the C declaration of solve
	Shapes    string `json:"shapes"`    // tensors and sizes, one line each, for people
}

// Environment is what evaluations of this session run on.
type Environment struct {
	Facts map[string]string `json:"facts"`
}

// Source is who wrote a turn's kernel.
type Source string

// The sources of a turn.
const (
	SourceModel Source = "model"
	SourceHuman Source = "human" // an edit
)

// TurnStarted opens a turn. Parent is the turn it builds on, 0 for none, so the
// turns of a session form a forest; a retry has the parent of its sibling.
type TurnStarted struct {
	Parent int    `json:"parent_turn"`
	Source Source `json:"source"`
	Reason Action `json:"reason"` // ActionNext, ActionRetry, ActionBranch, ActionEdit or ActionSend
	Hint   string `json:"hint,omitempty"`
	Sample int    `json:"sample,omitempty"` // 1, 2, 3, ... of the replies asked for at once to one prompt; 0: it was alone
}

// PromptBuilt is the prompt exactly as it will be sent.
type PromptBuilt struct {
	Messages     []prompt.Message `json:"messages"`
	Template     string           `json:"template"` // prompt set and dialect
	SHA256       string           `json:"template_sha256,omitempty"`
	DroppedTurns []int            `json:"dropped_turns"`           // left out to fit, oldest first
	Tokens       int              `json:"tokens"`                  // an estimate; the response has the server's count
	Scaled       bool             `json:"tokens_scaled,omitempty"` // the estimate follows what the server counted before
	Edited       bool             `json:"edited,omitempty"`        // by a person: Template and DroppedTurns are those of its draft
}

// PromptDrafted is the prompt that a next turn on top of Parent would be sent.
// Parent is what its event is about as well.
type PromptDrafted struct {
	Parent int         `json:"parent_turn"`
	Hint   string      `json:"hint,omitempty"`
	Prompt PromptBuilt `json:"prompt"`
}

// ModelChanged says who writes from the next turn on.
type ModelChanged struct {
	Profile  string `json:"profile"`
	Model    string `json:"model"`
	Endpoint string `json:"endpoint"` // host only, never a key
	Scripted bool   `json:"scripted"`
}

// ModelRequested is one attempt to reach the model.
type ModelRequested struct {
	Model       string         `json:"model"`
	Endpoint    string         `json:"endpoint"`
	Temperature *float64       `json:"temperature"`
	TopP        *float64       `json:"top_p"`
	MaxTokens   *int           `json:"max_tokens"`
	Extra       map[string]any `json:"extra,omitempty"`    // further fields of the request, as configured
	Attempt     int            `json:"attempt"`            // 1, 2, 3, ...
	Attempts    int            `json:"attempts,omitempty"` // at most so many are made; 0: not known
	Wait        time.Duration  `json:"wait_ns,omitempty"`  // from this event to the sending
}

// Try names the attempt: "attempt 2 of 4".
func (r *ModelRequested) Try() string {
	if r.Attempts == 0 {
		return fmt.Sprintf("attempt %d", r.Attempt)
	}
	return fmt.Sprintf("attempt %d of %d", r.Attempt, r.Attempts)
}

// TextDelta is text as it arrives. Text is raw: strip control codes before
// it reaches a terminal.
type TextDelta struct {
	Reasoning bool   `json:"reasoning"`
	Text      string `json:"text"`
}

// ModelResponded is the whole reply, also of a stream that broke.
type ModelResponded struct {
	Content      string         `json:"content"`
	Reasoning    string         `json:"reasoning"`
	FinishReason string         `json:"finish_reason"` // as the server said; "" if it never did
	Complete     bool           `json:"complete"`      // the stream ended as it should
	Usage        Usage          `json:"usage"`
	FirstToken   *time.Duration `json:"first_token_ns"` // null: none came
	Total        time.Duration  `json:"total_ns"`
	CancelledBy  string         `json:"cancelled_by,omitempty"` // "human", "timeout"
	Error        string         `json:"error,omitempty"`        // one line: cause and what to do
	// Raw is the body of the last response as it came: the event stream, or what
	// a server said in refusing. It is for the record; a State does not keep it.
	Raw string `json:"raw,omitempty"`
}

// Rate is how fast the reply was written after its first token, in tokens a
// second. It is false where too little came, or in one piece.
func (r *ModelResponded) Rate() (float64, bool) {
	const least = 50 * time.Millisecond // less says more of the network than of the model
	if r.FirstToken == nil || r.Usage.Completion < 2 || r.Total-*r.FirstToken < least {
		return 0, false
	}
	return float64(r.Usage.Completion-1) / (r.Total - *r.FirstToken).Seconds(), true
}

// Usage counts tokens. Estimated marks our own count where the server gave none.
type Usage struct {
	Prompt     int  `json:"prompt"`
	Completion int  `json:"completion"`
	Reasoning  int  `json:"reasoning"`
	Estimated  bool `json:"estimated"`
}

// CodeExtracted is the kernel taken from a reply, or why there is none.
type CodeExtracted struct {
	Kernel   string   `json:"kernel"`
	SHA256   string   `json:"kernel_sha256"`
	Language string   `json:"language"`
	Rule     string   `json:"rule"`     // which block was taken and why
	Summary  string   `json:"summary"`  // the model's prose around the block
	Problems []string `json:"problems"` // empty when a kernel was found and nothing was odd
}

// Evaluated is the verdict on a turn's kernel. Error is set, and Verdict nil,
// when the harness could not tell.
type Evaluated struct {
	Verdict *gpu.Verdict `json:"verdict"`
	Accept  bool         `json:"accept"` // the final check of an accept
	Error   string       `json:"error,omitempty"`
}

// Scored is the score of a turn (kevin.md: S = 0.3 + speedup if correct, else 0).
// Score is nil where the turn says nothing about the kernel.
type Scored struct {
	Scorer string   `json:"scorer"`
	Score  *float64 `json:"score"`
}

// Outcome of a turn beyond the evaluator's: the model never gave a kernel, or
// somebody stopped it.
const (
	OutcomeModelError = "model_error"
	OutcomeTruncated  = "truncated"
	OutcomeStopped    = "stopped"
	OutcomeInfraError = "infra_error"
)

// TurnEnded closes a turn.
type TurnEnded struct {
	Outcome string `json:"outcome"` // a gpu.Outcome or one of those above
	Summary string `json:"summary"` // one line for a person
}

// HumanActed is what a person did. Turn of the event is the turn acted on.
type HumanActed struct {
	Action    Action     `json:"action"`
	Text      string     `json:"text,omitempty"`   // hint, reason or note
	Rating    int        `json:"rating,omitempty"` // 1 to MaxRating, of ActionRate
	Before    string     `json:"before,omitempty"` // what the action changed, see After
	After     string     `json:"after,omitempty"`  // kernel or prompt (as prompt.Text writes it); accepted or rejected; the pinned turn; the rating
	Diff      string     `json:"diff,omitempty"`   // unified, of an edit
	Plan      *Plan      `json:"plan,omitempty"`   // of ActionAuto
	ShownAt   *time.Time `json:"shown_at"`         // when what was decided on came on screen
	DecidedAt time.Time  `json:"decided_at"`

	// OnScreen is how long it had been there before the decision, all visits together.
	OnScreen *time.Duration `json:"on_screen_ns,omitempty"`
}

// Level of a notice.
type Level string

// The levels.
const (
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Noticed is something a person should see that is no turn's result.
type Noticed struct {
	Level  Level  `json:"level"`
	Text   string `json:"text"`             // one line: cause, then what to do
	Budget string `json:"budget,omitempty"` // that is used up, as SessionEnded names it: no more turns are taken without being asked
}

// SessionEnded closes a session.
type SessionEnded struct {
	Reason   string `json:"reason"` // "accepted", "quit", "max_turns" of the plan, "error", or the budget that is used up
	Best     int    `json:"best_turn"`
	Accepted int    `json:"accepted_turn"`
}
