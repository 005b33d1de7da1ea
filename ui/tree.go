package ui

import "example.com/hone/agent"

// branch is one row of the turn tree.
type branch struct {
	turn *agent.Turn
	// stem is drawn before the turn: one of the stemX marks per level.
	stem []stem
}

// stem is one level of a tree row's prefix.
type stem int

const (
	stemNone stem = iota // an ancestor's last child: nothing beside it
	stemPass             // the line of a later sibling passes by
	stemFork             // a child with later siblings
	stemLast             // the last child
)

// growTree lists turns depth first. A turn with a single child keeps its
// indentation, so that a straight session is a flat list and only real
// branches move to the right.
func growTree(turns []*agent.Turn) []branch {
	children := map[int][]*agent.Turn{}
	for _, t := range turns {
		parent := t.Parent
		if parent >= t.Number || parent < 0 {
			parent = 0
		}
		children[parent] = append(children[parent], t)
	}
	rows := make([]branch, 0, len(turns))
	return growBranch(rows, children, 0, nil)
}

func growBranch(rows []branch, children map[int][]*agent.Turn, parent int, prefix []stem) []branch {
	kids := children[parent]
	for i, t := range kids {
		own, below := prefix, prefix
		if len(kids) > 1 {
			last := i == len(kids)-1
			own = extend(prefix, pick(last, stemLast, stemFork))
			below = extend(prefix, pick(last, stemNone, stemPass))
		}
		rows = append(rows, branch{turn: t, stem: own})
		rows = growBranch(rows, children, t.Number, below)
	}
	return rows
}

func extend(prefix []stem, s stem) []stem {
	return append(append(make([]stem, 0, len(prefix)+1), prefix...), s)
}

func pick[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
