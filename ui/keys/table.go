package keys

// The actions.
const (
	Next   Action = "next"
	Hint   Action = "hint"
	Edit   Action = "edit"
	Retry  Action = "retry"
	Branch Action = "branch"
	Alone  Action = "alone"
	Writer Action = "model"
	Accept Action = "accept"
	Reject Action = "reject"
	Stop   Action = "stop"

	EditHere  Action = "edit-here"
	AcceptWhy Action = "accept-why"
	Pin       Action = "pin"
	Rate      Action = "rate"
	Note      Action = "note"

	Thoughts Action = "thoughts"
	Request  Action = "prompt"
	Log      Action = "log"
	Preview  Action = "preview"
	Follow   Action = "follow"
	Wrap     Action = "wrap"
	Zoom     Action = "zoom"
	Pane1    Action = "pane-1"
	Pane2    Action = "pane-2"
	Pane3    Action = "pane-3"
	Pane4    Action = "pane-4"
	Pane5    Action = "pane-5"
	PaneNext Action = "pane-next"
	PanePrev Action = "pane-previous"
	Copy     Action = "copy"
	CopyLog  Action = "copy-log"

	Down       Action = "down"
	Up         Action = "up"
	Top        Action = "top"
	Bottom     Action = "bottom"
	HalfDown   Action = "half-down"
	HalfUp     Action = "half-up"
	PageDown   Action = "page-down"
	PageUp     Action = "page-up"
	Left       Action = "left"
	Right      Action = "right"
	Search     Action = "search"
	MatchNext  Action = "match-next"
	MatchPrev  Action = "match-previous"
	TurnPrev   Action = "turn-previous"
	TurnNext   Action = "turn-next"
	TurnBest   Action = "turn-best"
	TurnNewest Action = "turn-newest"

	DiffPrevious Action = "diff-previous"
	DiffBest     Action = "diff-best"
	DiffOther    Action = "diff-other"
	Figures      Action = "figures"
	Split        Action = "split"
	Context      Action = "context"
	Whitespace   Action = "whitespace"
	HunkNext     Action = "hunk-next"
	HunkPrev     Action = "hunk-previous"

	Open    Action = "open"
	Filter  Action = "filter"
	Sort    Action = "sort"
	History Action = "runs"

	Keys      Action = "help"
	Close     Action = "close"
	Back      Action = "back"
	Interrupt Action = "interrupt"
	Suspend   Action = "suspend"
	Redraw    Action = "redraw"
	Mouse     Action = "mouse"
	Submit    Action = "submit"
	NewLine   Action = "new-line"
	Yes       Action = "yes"
	No        Action = "no"
)

// table is every key of the program. Its order is that of the action bar and of
// help.
func table() []Binding {
	var rows []Binding
	for _, part := range [][]Binding{opening(), running(), comparing(), viewing(), moving(), always()} {
		rows = append(rows, part...)
	}
	return rows
}

func opening() []Binding {
	return []Binding{
		{Open, []string{"enter"}, "open", "open what the cursor is on", Records, Browse | Runs, 9},
		{History, []string{"t"}, "runs", "runs on record", Records, Browse | Runs, 8},
		{Sort, []string{"s"}, "sort", "sort by the next column", Records, Browse | Runs, 5},
		{Filter, []string{"/"}, "filter", "show only what contains the text", Records, Browse | Runs | Help, 7},
	}
}

func running() []Binding {
	return []Binding{
		{Next, []string{"n"}, "next", "another turn, built on the viewed one", Run, Refine, 9},
		{Hint, []string{"h"}, "hint", "a hint for the model, then another turn", Run, Refine, 8},
		{Edit, []string{"e"}, "edit", "edit the kernel, or the prompt to be sent", Run, Refine, 7},
		{EditHere, []string{"E"}, "edit here", "edit it on this screen, without an editor", Run, Refine, 0},
		{Retry, []string{"r"}, "retry", "ask again with the same prompt", Run, Refine, 5},
		{Branch, []string{"b"}, "branch", "start a branch from the viewed turn", Run, Refine, 4},
		{Alone, []string{"C"}, "alone", "the model takes turns alone; x stops it", Run, Refine, 2},
		{Writer, []string{"M"}, "model", "another model writes from the next turn", Run, Refine, 1},
		{Accept, []string{"a"}, "accept", "check the kernel once more and keep it", Run, Refine, 8},
		{AcceptWhy, []string{"A"}, "accept why", "accept, with a reason", Run, Refine, 0},
		{Reject, []string{"R"}, "reject", "reject the viewed turn, with a reason", Run, Refine, 3},
		{Pin, []string{"p"}, "pin", "make the turn the one to beat, or not", Run, Refine, 1},
		{Rate, []string{"*"}, "rate", "rate the viewed turn from 1 to 5", Run, Refine, 1},
		{Note, []string{"N"}, "note", "write a note on the viewed turn", Run, Refine, 1},
		{Stop, []string{"x"}, "stop", "stop the running turn (press twice)", Run, Refine, 9},
	}
}

func comparing() []Binding {
	return []Binding{
		{DiffPrevious, []string{"d"}, "diff", "compare with the turn it was made from", DiffOf, Refine | Diff, 6},
		{DiffBest, []string{"D"}, "diff best", "compare with the best turn", DiffOf, Refine | Diff, 2},
		{DiffOther, []string{"o"}, "other", "compare with any other turn", DiffOf, Refine | Diff, 1},
		{Figures, []string{"t"}, "figures", "times and resources: half, all or none", DiffOf, Diff, 4},
		{Split, []string{"s"}, "split", "side by side, or one column", DiffOf, Diff, 6},
		{Context, []string{"c"}, "context", "more or less of the unchanged lines", DiffOf, Diff, 4},
		{Whitespace, []string{"i"}, "space", "ignore changes of spaces", DiffOf, Diff, 3},
		{HunkNext, []string{"n"}, "hunk", "next change", DiffOf, Diff, 7},
		{HunkPrev, []string{"N"}, "back", "previous change", DiffOf, Diff, 0},
	}
}

func viewing() []Binding {
	return []Binding{
		{Copy, []string{"y"}, "copy", "copy the kernel, without line numbers", View, Refine | Runs, 3},
		{Copy, []string{"y"}, "copy", "copy the patch", View, Diff, 3},
		{CopyLog, []string{"Y"}, "copy log", "copy the error or the log", View, Refine, 1},
		{TurnPrev, []string{"["}, "older", "view the turn before", View, Refine | Diff, 2},
		{TurnNext, []string{"]"}, "newer", "view the turn after", View, Refine | Diff, 2},
		{TurnBest, []string{"B"}, "best", "view the best turn", View, Refine, 1},
		{TurnNewest, []string{"0"}, "newest", "view the newest turn", View, Refine, 0},
		{Thoughts, []string{"v"}, "thoughts", "what the model thought: all, or two lines", View, Refine, 1},
		{Preview, []string{"v"}, "preview", "show or hide the preview", View, Browse | Runs, 2},
		{Request, []string{"P"}, "prompt", "the prompt that was sent, then the next", View, Refine, 0},
		{Log, []string{"L"}, "log", "the whole log", View, Refine, 1},
		{Follow, []string{"f"}, "follow", "keep the newest line in sight", View, Refine, 0},
		{Wrap, []string{"w"}, "wrap", "wrap long lines, or cut them", View, Refine | Diff | Runs, 0},
		{Zoom, []string{"+"}, "zoom", "the focused pane alone", View, screens &^ Diff, 1},
		{PaneNext, []string{"tab"}, "pane", "focus the next pane", View, screens &^ Diff, 2},
		{PanePrev, []string{"shift+tab"}, "pane", "focus the previous pane", View, screens &^ Diff, 0},
		{Pane1, []string{"1"}, "pane 1", "focus the pane of that number", View, screens &^ Diff, 0},
		{Pane2, []string{"2"}, "pane 2", "focus the pane of that number", View, screens &^ Diff, 0},
		{Pane3, []string{"3"}, "pane 3", "focus the pane of that number", View, screens &^ Diff, 0},
		{Pane4, []string{"4"}, "pane 4", "focus the pane of that number", View, screens &^ Diff, 0},
		{Pane5, []string{"5"}, "pane 5", "focus the pane of that number", View, screens &^ Diff, 0},
	}
}

func moving() []Binding {
	const scroll = screens | Help
	return []Binding{
		{Down, []string{"j", "down"}, "down", "down", Move, scroll, 0},
		{Up, []string{"k", "up"}, "up", "up", Move, scroll, 0},
		{Down, []string{"down", "tab"}, "below", "the row below", Move, Choice, 0},
		{Up, []string{"up", "shift+tab"}, "above", "the row above", Move, Choice, 0},
		{Top, []string{"g", "home"}, "top", "to the top", Move, scroll, 0},
		{Bottom, []string{"G", "end"}, "bottom", "to the end, and follow it", Move, scroll, 0},
		{HalfDown, []string{"ctrl+d"}, "half down", "down half a page", Move, scroll, 0},
		{HalfUp, []string{"ctrl+u"}, "half up", "up half a page", Move, scroll, 0},
		{PageDown, []string{"pgdown", " "}, "page down", "down a page", Move, scroll, 0},
		{PageUp, []string{"pgup"}, "page up", "up a page", Move, scroll, 0},
		{Left, []string{"left"}, "left", "pan to the left", Move, screens, 0},
		{Right, []string{"right"}, "right", "pan to the right", Move, screens, 0},
		{Open, []string{"enter"}, "go to", "go to the line of the error or the change", Move, Refine | Diff, 0},
		{Search, []string{"/"}, "find", "find text in the focused pane", Move, Refine | Diff, 3},
		{MatchNext, []string{";"}, "next match", "next match", Move, Refine | Diff, 0},
		{MatchPrev, []string{","}, "match before", "previous match", Move, Refine | Diff, 0},
	}
}

func always() []Binding {
	return []Binding{
		{Submit, []string{"enter"}, "send", "done: send the text", Always, Prompt, 9},
		{Submit, []string{"ctrl+x"}, "done", "done: judge the kernel or send the prompt", Always, Editor, 9},
		{Submit, []string{"enter"}, "choose", "done: take the marked row", Always, Choice, 9},
		{NewLine, []string{"ctrl+j", "alt+enter"}, "new line", "new line", Always, Prompt, 5},
		{Yes, []string{"y"}, "yes", "yes", Always, Confirm, 9},
		{No, []string{"n", "enter"}, "no", "no: change nothing", Always, Confirm, 9},
		{Close, []string{"esc", "alt+esc"}, "close", "close what is open on top; stops nothing", Always, all, 0},
		{Keys, []string{"?"}, "help", "all keys of this screen", Always, screens | Help, 10},
		{Back, []string{"q"}, "quit", "quit; asks while a turn runs", Always, Browse, 4},
		{Back, []string{"q"}, "back", "back to where this was opened", Always, screens&^Browse | Help, 4},
		{Interrupt, []string{"ctrl+c"}, "stop", "stop what runs, else quit (press twice)", Always, all, 0},
		{Suspend, []string{"ctrl+z"}, "suspend", "back to the shell; fg returns", Always, screens, 0},
		{Redraw, []string{"ctrl+l"}, "redraw", "draw the screen anew", Always, screens, 0},
		{Mouse, []string{"m"}, "mouse", "give the terminal the mouse, or take it", Always, screens, 0},
	}
}
