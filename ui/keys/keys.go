package keys

import "slices"

// Action is what a key asks for.
type Action string

// Screen is where a key was pressed. Screens combine as a set.
type Screen uint16

// The screens.
const (
	Browse  Screen = 1 << iota // the tasks
	Refine                     // a session
	Diff                       // two turns side by side
	Runs                       // the record
	Help                       // the overlay of all keys
	Prompt                     // a text field; all other keys are text
	Confirm                    // a question to be answered with yes or no
	Editor                     // a whole text; nearly all keys are text
	Choice                     // a list; keys that do not move in it narrow it
)

const (
	screens = Browse | Refine | Diff | Runs
	all     = screens | Help | Prompt | Confirm | Editor | Choice
)

// String names the screen as help does.
func (s Screen) String() string {
	names := map[Screen]string{
		Browse: "tasks", Refine: "session", Diff: "diff",
		Runs: "runs", Help: "help", Prompt: "text field", Confirm: "question", Editor: "editor", Choice: "choice",
	}
	return names[s]
}

// Group gathers the actions that help shows together.
type Group string

// The groups, in the order of help.
const (
	Run     Group = "RUN"
	View    Group = "VIEW"
	Move    Group = "MOVE"
	DiffOf  Group = "DIFF"
	Records Group = "RUNS"
	Always  Group = "ALWAYS"
)

// Binding is one row of the table.
type Binding struct {
	Action Action
	Keys   []string // as Bubble Tea names them; the first is the one that is shown
	Short  string   // in the action bar
	Long   string   // in help and docs
	Group  Group
	On     Screen // the screens where it is valid
	Bar    int    // 0: not in the action bar; else higher stays longer when room is short
}

// Lookup finds what key does on screen.
func Lookup(screen Screen, key string) (Action, bool) {
	for _, b := range table() {
		if b.On&screen != 0 && slices.Contains(b.Keys, key) {
			return b.Action, true
		}
	}
	return "", false
}

// For lists what can be done on screen, in the order of the table.
func For(screen Screen) []Binding {
	var rows []Binding
	for _, b := range table() {
		if b.On&screen != 0 {
			rows = append(rows, b)
		}
	}
	return rows
}

// Find returns the binding of action on screen.
func Find(screen Screen, action Action) (Binding, bool) {
	for _, b := range For(screen) {
		if b.Action == action {
			return b, true
		}
	}
	return Binding{}, false
}
