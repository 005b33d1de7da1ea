package compile

import (
	"fmt"
	"strconv"
	"strings"
)

// forEmulation rewrites a file to what the emulator's header understands; the
// contract is in package emulate's doc.go. Lines stay where they are.
func forEmulation(f File) rewritten {
	graph := newCallGraph(f)
	var edits []edit
	for _, l := range f.Launches {
		edits = append(edits, launchEdits(f, l.site, graph.fibers(l.site))...)
	}
	for _, d := range f.shared {
		edits = append(edits, sharedEdits(f.Text, d)...)
	}
	edits = append(edits, captureEdits(f.source, f.shared)...)
	return apply(f.Text, edits)
}

// launchEdits turns k<<<c>>>(args) into a call of ::hone::launch. The text of
// the configuration and of the arguments is left in place.
func launchEdits(f File, l launchSite, fibers bool) []edit {
	kernel := tokenRange{l.kernel[0].offset, l.kernel[len(l.kernel)-1].end()}
	head := []piece{made(gap(f.Text, kernel.start) + "::hone::launch(")}
	if f.convertsArguments(l) {
		head = append(head, expression(f.Text, kernel, l.kernel), made(", "))
	}
	flag := "0"
	if fibers {
		flag = "1"
	}
	breaks := lineBreaks(f.Text[kernel.start:l.open.end()], l.macro != nil)
	head = append(head, made(fmt.Sprintf("%s, %s, %s, ::hone::config(%s",
		l.displayName(), lineNumber(l.open, l.macro), flag, breaks)))
	tail := []piece{
		made("), [=](auto... hone_a) { "), expression(f.Text, kernel, l.kernel), made("(hone_a...); })"),
	}
	return []edit{
		{kernel.start, l.open.end(), head},
		{l.close.end() - len(">>>"), l.close.end(), tail},
	}
}

// gap keeps "default:" and the "::" behind it apart.
func gap(src string, start int) string {
	if start > 0 && src[start-1] == ':' {
		return " "
	}
	return ""
}

// convertsArguments reports whether the launch can be given a pointer to its
// kernel, whose parameter types then convert the arguments: not so for overloads,
// nor for a template some of whose arguments are left to deduce.
func (f File) convertsArguments(l launchSite) bool {
	name := kernelName(l.kernel)
	if l.macro != nil && l.macro.params[name] {
		return !isTemplate(f.Kernels)
	}
	known := f.byName[name]
	if len(known) == 1 && known[0].Template {
		return l.explicit > 0 && l.explicit == known[0].arity
	}
	return len(known) < 2 && l.explicit == 0
}

// displayName is the C++ expression for the kernel's name.
func (l launchSite) displayName() string {
	if l.macro != nil && len(l.kernel) == 1 && l.macro.params[l.kernel[0].text] {
		return "#" + l.kernel[0].text
	}
	return strconv.QuoteToASCII(oneLine(l.kernel))
}

// expression repeats an expression: exactly when it stands on one line without
// comments, else with blanks in their place.
func expression(src string, r tokenRange, tokens []token) piece {
	if flat := oneLine(tokens); flat != src[r.start:r.end] {
		return made(flat)
	}
	return copyOf(src, r)
}

// sharedEdits turns a __shared__ declaration into a typedef of each variable's
// type, by the same declarators, and a reference or pointer of that type.
func sharedEdits(src string, d sharedDeclaration) []edit {
	edits := []edit{{d.first.offset, d.first.offset, []piece{made("typedef ")}}}
	for _, r := range d.drop {
		edits = append(edits, blank(src, r, d.macro != nil))
	}
	after := ""
	for _, v := range d.declarators {
		n := nameOf(v, d.macro)
		edits = append(edits, edit{v.name.offset, v.name.end(), []piece{made(n.alias)}})
		if d.dynamic && v.open != nil {
			edits = append(edits, blank(src, *v.open, d.macro != nil))
		}
		if d.dynamic {
			after += fmt.Sprintf(" %s* %s = ::hone::dynamic_shared<%s>();", n.alias, n.name, n.alias)
			continue
		}
		after += n.definition(d.alignment, lineNumber(v.name, d.macro))
	}
	end := d.end.end()
	if !d.semicolon {
		after = ";" + strings.TrimSuffix(after, ";")
	}
	return append(edits, edit{end, end, []piece{made(after)}})
}

// sharedName is how the rewritten text spells what belongs to one variable.
type sharedName struct {
	name, alias, tag, shown string // variable, its type, its identity, its name as text
}

func nameOf(v declarator, m *macro) sharedName {
	name := v.name.text
	if m != nil && m.params[name] {
		return sharedName{name, "hone_##" + name + "##_t", "hone_##" + name + "##_s", "#" + name}
	}
	return sharedName{name, "hone_" + name + "_t", "hone_" + name + "_s", strconv.Quote(name)}
}

// definition binds a variable to its memory. A typedef cannot carry an alignment
// into a template, a class can.
func (n sharedName) definition(alignment, line string) string {
	if alignment == "" {
		return fmt.Sprintf(" %s& %s = ::hone::shared<%s, struct %s>(%s, %s);",
			n.alias, n.name, n.alias, n.tag, n.shown, line)
	}
	return fmt.Sprintf(" struct %s%s { %s value; }; %s& %s = ::hone::shared<%s, %s>(%s, %s).value;",
		alignment, n.tag, n.alias, n.alias, n.name, n.tag, n.tag, n.shown, line)
}

// blank removes a part of the text but not its line breaks.
func blank(src string, r tokenRange, inMacro bool) edit {
	end := r.end
	if end < len(src) && src[end] == ' ' {
		end++
	}
	return edit{r.start, end, []piece{made(lineBreaks(src[r.start:end], inMacro))}}
}

// lineBreaks is the line breaks of a text, escaped inside a macro.
func lineBreaks(s string, inMacro bool) string {
	unit := "\n"
	if inMacro {
		unit = "\\\n"
	}
	return strings.Repeat(unit, strings.Count(s, "\n"))
}

// lineNumber is where the person will look: in a macro, where it is used.
func lineNumber(t token, m *macro) string {
	if m != nil {
		return "__LINE__"
	}
	return strconv.Itoa(t.line)
}
