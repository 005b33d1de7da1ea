package compile

import "slices"

// matchBrackets finds the partner of each opening bracket; one that is never
// closed gets len(code), a token that opens nothing its own index.
//
// Each branch of a condition starts at the depth where the condition began. What
// two branches open, such as two heads of one body, is closed together.
func matchBrackets(code []token, branches []branch) []int {
	m := brackets{close: make([]int, len(code))}
	for i, t := range code {
		for len(branches) > 0 && branches[0].at <= i {
			m.branch(branches[0].verb, i)
			branches = branches[1:]
		}
		m.close[i] = i
		if t.kind == punct {
			m.token(code, i)
		}
	}
	return m.close
}

// brackets is the state of matchBrackets. The open brackets are a linked list,
// so that a condition can keep them at no cost.
type brackets struct {
	close      []int
	open       *bracket
	conditions []condition
}

// bracket is an open bracket and those around it.
type bracket struct {
	index int
	outer *bracket
	twins []int // opened in its place by other branches
}

// condition is an #if that has not ended.
type condition struct {
	base  *bracket // what was open at its start
	other [][]int  // by depth above base, what earlier branches left open
}

func (m *brackets) branch(verb string, at int) {
	if verb == "if" {
		m.conditions = append(m.conditions, condition{base: m.open})
		return
	}
	last := len(m.conditions) - 1
	if last < 0 {
		return
	}
	c := &m.conditions[last]
	inner := m.above(c.base)
	if verb == "else" {
		c.leave(inner)
		m.open = c.base
		return
	}
	for depth, others := range c.other {
		if depth < len(inner) {
			inner[depth].twins = append(inner[depth].twins, others...)
			continue
		}
		m.end(others, at)
	}
	m.conditions = m.conditions[:last]
}

// leave remembers what a branch leaves open.
func (c *condition) leave(inner []*bracket) {
	for depth, b := range inner {
		if depth == len(c.other) {
			c.other = append(c.other, nil)
		}
		c.other[depth] = append(append(c.other[depth], b.index), b.twins...)
	}
}

// above lists the open brackets inside base, the outermost first; none when the
// branch closed base itself.
func (m *brackets) above(base *bracket) []*bracket {
	var inner []*bracket
	for b := m.open; b != base; b = b.outer {
		if b == nil || base != nil && b.index < base.index {
			return nil
		}
		inner = append(inner, b)
	}
	slices.Reverse(inner)
	return inner
}

func (m *brackets) token(code []token, i int) {
	switch code[i].text {
	case "(", "[", "{":
		m.open = &bracket{index: i, outer: m.open}
		m.close[i] = len(code)
	case ")":
		m.shut(code, i, "(")
	case "]":
		m.shut(code, i, "[")
	case "}":
		for m.open != nil && code[m.open.index].text != "{" {
			m.open = m.open.outer
		}
		m.shut(code, i, "{")
	}
}

// shut closes the innermost bracket of its kind and gives up on those inside
// it, but never reaches across a brace, nor far: broken text stays cheap.
func (m *brackets) shut(code []token, i int, opener string) {
	const far = 16
	for b, n := m.open, 0; b != nil && n < far; b, n = b.outer, n+1 {
		if code[b.index].text == opener {
			m.close[b.index] = i
			m.end(b.twins, i)
			m.open = b.outer
			return
		}
		if code[b.index].text == "{" {
			return
		}
	}
}

func (m *brackets) end(opened []int, at int) {
	for _, i := range opened {
		m.close[i] = at
	}
}
