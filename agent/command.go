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
	ActionAccept Action = "accept" // check Turn finally and keep it
	ActionReject Action = "reject" // mark Turn as rejected, with Text as the reason
	ActionAuto   Action = "auto"   // take turns on top of Turn without being asked, as Plan says
	ActionStop   Action = "stop"   // stop what runs, and take no more turns without being asked
	ActionQuit   Action = "quit"   // end the session
)

// Command is an Action with its arguments. Commands that need the session idle
// are refused with a notice while a turn runs.
type Command struct {
	Action Action
	Turn   int       // 0: the current turn
	Text   string    // hint, reason
	Kernel string    // for ActionEdit
	Plan   Plan      // for ActionAuto: Turns, Samples and Keep
	Shown  time.Time // when what was decided on came on screen; zero if unknown
}
