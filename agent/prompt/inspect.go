package prompt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"example.com/hone/tasks/spelling"
)

// inspect follows every branch of the templates with the types of what they are
// given, so that a variable that there is not is found where no trial would.
func (w writer) inspect() []Problem {
	i := &inspector{root: w.root, seen: map[visit]bool{}}
	i.template(w.body, reflect.TypeFor[Values]())
	if w.has(partSystem) {
		i.template(partSystem, reflect.TypeFor[Values]())
	}
	for _, part := range []string{partAssistant, partResult} {
		if w.has(part) {
			i.template(part, reflect.TypeFor[TurnValues]())
		}
	}
	return i.problems
}

// inspector walks templates. A nil type is one that it does not know, of which
// nothing is said.
type inspector struct {
	root     *template.Template
	seen     map[visit]bool
	problems []Problem
}

// visit is a template and the type of its dot.
type visit struct {
	name string
	dot  reflect.Type
}

// scope is what names mean at one place.
type scope struct {
	tree      *parse.Tree
	dot       reflect.Type
	variables map[string]reflect.Type
}

// with is the scope of a block: what it declares ends with it.
func (s scope) with(dot reflect.Type) scope {
	return scope{s.tree, dot, maps.Clone(s.variables)}
}

func (i *inspector) template(name string, dot reflect.Type) {
	t := i.root.Lookup(name)
	if t == nil || t.Tree == nil || i.seen[visit{name, dot}] {
		return
	}
	i.seen[visit{name, dot}] = true
	i.list(t.Root, scope{t.Tree, dot, map[string]reflect.Type{"$": dot}})
}

func (i *inspector) list(list *parse.ListNode, s scope) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			i.pipe(n.Pipe, s)
		case *parse.IfNode:
			inner := s.with(s.dot)
			i.pipe(n.Pipe, inner)
			i.list(n.List, inner)
			i.list(n.ElseList, inner)
		case *parse.WithNode:
			inner := s.with(s.dot)
			dot := i.pipe(n.Pipe, inner)
			i.list(n.List, inner.with(dot))
			i.list(n.ElseList, inner)
		case *parse.RangeNode:
			i.loop(n, s.with(s.dot))
		case *parse.TemplateNode:
			i.call(n, s)
		}
	}
}

// loop inspects a range, whose variables are the index and the element.
func (i *inspector) loop(n *parse.RangeNode, s scope) {
	over := i.pipe(n.Pipe, s)
	var element reflect.Type
	if over != nil && (over.Kind() == reflect.Slice || over.Kind() == reflect.Array || over.Kind() == reflect.Map) {
		element = over.Elem()
	}
	inner := s.with(element)
	for at, v := range n.Pipe.Decl {
		inner.variables[v.Ident[0]] = nil
		if at == len(n.Pipe.Decl)-1 {
			inner.variables[v.Ident[0]] = element
		}
	}
	i.list(n.List, inner)
	i.list(n.ElseList, s)
}

func (i *inspector) call(n *parse.TemplateNode, s scope) {
	var dot reflect.Type
	if n.Pipe != nil {
		dot = i.pipe(n.Pipe, s)
	}
	if i.root.Lookup(n.Name) == nil {
		i.report(n, s, fmt.Sprintf("there is no template %q%s", n.Name, spelling.DidYouMean(n.Name, i.names())))
		return
	}
	i.template(n.Name, dot)
}

func (i *inspector) names() []string {
	var names []string
	for _, t := range i.root.Templates() {
		names = append(names, t.Name())
	}
	slices.Sort(names)
	return names
}

// pipe inspects a pipeline and gives the type of its value.
func (i *inspector) pipe(p *parse.PipeNode, s scope) reflect.Type {
	var value reflect.Type
	for _, command := range p.Cmds {
		value = i.command(command, s)
	}
	for _, v := range p.Decl {
		s.variables[v.Ident[0]] = value
	}
	return value
}

func (i *inspector) command(c *parse.CommandNode, s scope) reflect.Type {
	var first reflect.Type
	for at, argument := range c.Args {
		if t := i.argument(argument, s); at == 0 {
			first = t
		}
	}
	return first
}

func (i *inspector) argument(node parse.Node, s scope) reflect.Type {
	switch n := node.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return i.field(n, s, s.dot, "", n.Ident)
	case *parse.VariableNode:
		return i.field(n, s, s.variables[n.Ident[0]], n.Ident[0], n.Ident[1:])
	case *parse.ChainNode:
		return i.field(n, s, i.argument(n.Node, s), "(...)", n.Field)
	case *parse.PipeNode:
		return i.pipe(n, s)
	case *parse.StringNode:
		return reflect.TypeFor[string]()
	case *parse.IdentifierNode:
		if _, ours := functions()[n.Ident]; ours {
			return reflect.TypeFor[string]()
		}
	}
	return nil
}

// field follows a chain of names from a type. A name that there is not is
// reported once; what comes behind it is not looked at.
func (i *inspector) field(node parse.Node, s scope, from reflect.Type, path string, names []string) reflect.Type {
	for _, name := range names {
		if from == nil {
			return nil
		}
		known := fields(from)
		at, ok := known[name]
		if !ok {
			i.report(node, s, unknown(path, name, from, known))
			return nil
		}
		from, path = at, path+"."+name
	}
	return from
}

// unknown says of a name that it means nothing.
func unknown(path, name string, in reflect.Type, known map[string]reflect.Type) string {
	if len(known) == 0 {
		where := path
		if where == "" {
			where = "."
		}
		return fmt.Sprintf("unknown variable %s.%s: %s is a %s, which has no parts", path, name, where, in.Kind())
	}
	var names []string
	for _, n := range slices.Sorted(maps.Keys(known)) {
		names = append(names, path+"."+n)
	}
	text := fmt.Sprintf("unknown variable %s", strconv.Quote(path+"."+name))
	if guess := spelling.DidYouMean(path+"."+name, names); guess != "" {
		return text + guess
	}
	return text + ": here are " + strings.Join(names, ", ")
}

func fields(t reflect.Type) map[string]reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	known := map[string]reflect.Type{}
	for f := range t.NumField() {
		known[t.Field(f).Name] = t.Field(f).Type
	}
	return known
}

func (i *inspector) report(node parse.Node, s scope, text string) {
	at, _ := s.tree.ErrorContext(node)
	file, rest, _ := strings.Cut(at, ":")
	line, _, _ := strings.Cut(rest, ":")
	number, _ := strconv.Atoi(line) // ErrorContext writes one
	i.problems = append(i.problems, Problem{File: file, Line: number, Text: text})
}
