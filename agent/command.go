package agent

import "time"

// Action is something a person, or a flag, asks of a session.
type Action string

// The actions.
const (
	ActionNext   Action = "next"   // another turn on top of Turn (0: the current one)
	ActionBranch Action = "branch" // as next, from an earlier turn
	ActionRetry  Action = "retry"  // a sibling of Turn with the same prompt
	ActionEdit   Action = "edit"   // Kernel, edited from Turn's, as a human turn
	ActionHint   Action = "hint"   // as next, with Text shown to the model
	ActionPrompt Action = "prompt" // show what ActionNext, or ActionHint with Text, would send; KindPromptDrafted answers
	ActionSend   Action = "send"   // as next, with Prompt, edited from what ActionPrompt showed, in its place
	ActionAccept Action = "accept" // check Turn finally and keep it
	ActionReject Action = "reject" // mark Turn as rejected, with Text as the reason
	ActionAuto   Action = "auto"   // take turns on top of Turn without being asked, as Plan says
	ActionModel  Action = "model"  // from the next turn on ask the model of the profile called Text
	ActionPin    Action = "pin"    // make Turn the one to beat, or no turn if it was; Text may say why
	ActionRate   Action = "rate"   // give Turn a Rating; Text may say why
	ActionNote   Action = "note"   // keep Text about Turn
	ActionStop   Action = "stop"   // stop what runs, and take no more turns without being asked
	ActionQuit   Action = "quit"   // end the session
)

// Command is an Action with its arguments. Commands that need the session idle
// are refused with a notice while a turn runs.
type Command struct {
	Action Action
	Turn   int       // 0: the current turn
	Text   string    // hint, reason, note, name of a profile
	Rating int       // for ActionRate, 1 to MaxRating
	Kernel string    // for ActionEdit
	Prompt string    // for ActionSend, as prompt.Text writes it
	Plan   Plan      // for ActionAuto: Turns, Samples and Keep
	Shown  time.Time // when what was decided on came on screen; zero if unknown

	// OnScreen is how long it had been there, all its visits together, less what
	// was spent on other turns; zero: since Shown.
	OnScreen time.Duration
}
