package compile

import (
	"maps"
	"slices"
	"strings"
)

// callGraph answers which launches run threads that wait for one another. Names
// stand for what they may mean: an overload, a method or a macro of the same
// name counts too, so the answer errs towards fibers, which are always right.
type callGraph struct {
	file     File
	mentions map[string]map[string]bool // what a name's definitions mention
	reached  map[string]bool            // by name from any kernel
	stray    bool                       // a barrier is mentioned where no kernel leads by name
	any      bool                       // anything waits: the answer for a kernel known at run time only
}

func newCallGraph(f File) callGraph {
	g := callGraph{file: f, mentions: map[string]map[string]bool{}, reached: map[string]bool{}}
	for _, fn := range f.functions {
		g.mention(fn)
	}
	for _, k := range f.Kernels {
		g.reach(k.Name, g.reached)
	}
	covered := map[int]bool{} // offsets of names that some launch accounts for
	for _, l := range f.Launches[:min(len(f.Launches), manyLaunches)] {
		for _, t := range g.passed(l.site) {
			covered[t.offset] = true
			g.reach(t.text, g.reached)
		}
	}
	for _, fn := range f.functions {
		if g.reached[fn.node()] || g.reached[fn.class] {
			continue
		}
		for _, t := range fn.mentions(f.source) {
			g.stray = g.stray || t.kind == ident && synchronises(t.text) && !covered[t.offset]
		}
	}
	g.any = g.stray || anySynchronises(g.reached)
	return g
}

func (g callGraph) mention(fn function) {
	node := fn.node()
	if g.mentions[node] == nil {
		g.mentions[node] = map[string]bool{}
	}
	for _, t := range fn.mentions(g.file.source) {
		if t.kind == ident {
			g.mentions[node][t.text] = true
		}
	}
}

// node is the name that others reach a function by. A member operator is reached
// through its class.
func (fn function) node() string {
	if fn.name == "operator" && fn.class != "" {
		return fn.class
	}
	return fn.name
}

// Beyond these sizes, which no person writes, a launch is not looked at closely.
const (
	manyLaunches  = 256
	manyArguments = 1024 // tokens
)

// fibers reports whether the kernel of a launch, or anything it may call, uses a
// barrier or a warp operation.
func (g callGraph) fibers(l launchSite) bool {
	kernel := kernelName(l.kernel)
	known := g.file.byName[kernel]
	if len(known) == 0 || len(g.file.Launches) > manyLaunches || len(l.arguments) > manyArguments {
		return g.any
	}
	seen := map[string]bool{}
	g.reach(kernel, seen)
	g.reach("operator", seen)
	if isTemplate(known) {
		if g.stray {
			return true
		}
		for _, t := range g.passed(l) {
			g.reach(t.text, seen)
		}
	}
	return anySynchronises(seen)
}

// reach marks a name and all that its definitions lead to.
func (g callGraph) reach(name string, seen map[string]bool) {
	queue := []string{name}
	for len(queue) > 0 {
		name, queue = queue[0], queue[1:]
		if !seen[name] {
			seen[name] = true
			queue = slices.AppendSeq(queue, maps.Keys(g.mentions[name]))
		}
	}
}

// passed lists the names that a launch hands to its kernel: template arguments,
// arguments, and what a local alias or lambda among them mentions, such as
// "using Op = WarpSum;" or "auto op = [=] ...;".
func (g callGraph) passed(l launchSite) []token {
	if len(l.arguments) > manyArguments {
		return nil
	}
	var all []token
	for _, t := range append(l.kernel[:len(l.kernel):len(l.kernel)], l.arguments...) {
		if t.kind == ident {
			all = append(append(all, t), g.local(l, t.text)...)
		}
	}
	return all
}

// local lists the names in the definition of a local alias or variable.
func (g callGraph) local(l launchSite, name string) []token {
	fn := g.file.enclosing(l.index)
	if fn == nil {
		return nil
	}
	code, closing := g.file.source.code, g.file.source.close
	for i := fn.first; i+1 < l.index; i++ {
		if !code[i].is(name) || !code[i+1].is("=") {
			continue
		}
		end := i
		for end < l.index && !code[end].is(";") {
			end = max(closing[end], end) + 1
		}
		return identifiers(code[i+1 : min(end, len(code))])
	}
	return nil
}

// kernelName is the name that a kernel expression ends in, before any template
// arguments.
func kernelName(expr []token) string {
	end := len(expr)
	if end > 0 && expr[end-1].is(">") {
		end = max(angleStart(expr, end-1), 0)
	}
	if end > 0 && expr[end-1].kind == ident {
		return expr[end-1].text
	}
	return ""
}

func isTemplate(kernels []Kernel) bool {
	for _, k := range kernels {
		if k.Template {
			return true
		}
	}
	return false
}

func identifiers(tokens []token) []token {
	var found []token
	for _, t := range tokens {
		if t.kind == ident {
			found = append(found, t)
		}
	}
	return found
}

func anySynchronises(names map[string]bool) bool {
	for name := range names {
		if synchronises(name) {
			return true
		}
	}
	return false
}

// synchronises reports whether a name is a barrier, a warp operation or an
// entrance to cooperative groups.
func synchronises(name string) bool {
	switch name {
	case "cooperative_groups", "this_thread_block", "tiled_partition", "coalesced_threads",
		"__all", "__all_sync", "__any", "__any_sync", "__activemask":
		return true
	}
	for _, prefix := range []string{
		"__syncthreads", "__syncwarp", "__shfl", "__ballot", "__match_", "__reduce_", "__barrier_",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
