package demo

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// script is what the model says about one task. Each turn has one answer or
// more; those after the first are for the same prompt asked again.
type script struct {
	turns [][]answer
}

// answer is one reply.
type answer struct {
	thought string
	reply   string
}

const (
	turnMark    = "=== turn"
	thoughtMark = "--- thought"
	replyMark   = "--- reply"
)

// loadScripts reads all scripts of a folder, by task name.
func loadScripts(fsys fs.FS) (map[string]script, error) {
	names, err := fs.Glob(fsys, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list demo scripts: %w", err)
	}
	scripts := make(map[string]script, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read demo script: %w", err)
		}
		s, err := parseScript(name, string(text))
		if err != nil {
			return nil, err
		}
		scripts[strings.TrimSuffix(path.Base(name), ".md")] = s
	}
	return scripts, nil
}

// parser holds the turn that is being read.
type parser struct {
	script    script
	open      bool // a turn has begun
	variation bool
	section   *strings.Builder // of the open turn, nil before the first mark
	thought   *strings.Builder
	reply     *strings.Builder
}

// parseScript reads one script. Errors name the file and the line.
func parseScript(name, text string) (script, error) {
	var p parser
	number := 0
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		number++
		if err := p.line(line); err != nil {
			return script{}, fmt.Errorf("demo script %s:%d: %w", name, number, err)
		}
	}
	if err := p.finish(); err != nil {
		return script{}, fmt.Errorf("demo script %s:%d: %w", name, number, err)
	}
	if len(p.script.turns) == 0 {
		return script{}, fmt.Errorf("demo script %s: no %q line", name, turnMark)
	}
	return p.script, nil
}

func (p *parser) line(line string) error {
	mark := strings.TrimRight(line, " \t\n")
	directives, isTurn := strings.CutPrefix(mark, turnMark)
	switch {
	case isTurn && (directives == "" || directives[0] == ' '):
		if err := p.finish(); err != nil {
			return err
		}
		return p.begin(strings.Fields(directives))
	case mark == thoughtMark:
		return p.enter(&p.thought, thoughtMark)
	case mark == replyMark:
		return p.enter(&p.reply, replyMark)
	case p.section != nil:
		p.section.WriteString(line)
	case mark != "":
		return fmt.Errorf("text before %q and %q", turnMark, thoughtMark)
	}
	return nil
}

// begin opens a turn.
func (p *parser) begin(directives []string) error {
	*p = parser{script: p.script, open: true}
	for _, d := range directives {
		key, _, ok := strings.Cut(d, "=")
		if !ok {
			return fmt.Errorf("%q is not key=value", d)
		}
		p.variation = p.variation || key == "variation"
	}
	if p.variation && len(p.script.turns) == 0 {
		return fmt.Errorf("a variation of no turn")
	}
	return nil
}

// enter opens a section of the turn.
func (p *parser) enter(section **strings.Builder, mark string) error {
	if !p.open {
		return fmt.Errorf("%q before %q", mark, turnMark)
	}
	if *section != nil {
		return fmt.Errorf("a second %q in one turn", mark)
	}
	*section = new(strings.Builder)
	p.section = *section
	return nil
}

// finish closes the open turn, if there is one.
func (p *parser) finish() error {
	if !p.open {
		return nil
	}
	if p.thought == nil || p.reply == nil {
		return fmt.Errorf("the turn that ends here lacks %q or %q", thoughtMark, replyMark)
	}
	a := answer{thought: strings.TrimSpace(p.thought.String()), reply: strings.TrimSpace(p.reply.String())}
	if a.reply == "" {
		return fmt.Errorf("the turn that ends here has an empty reply")
	}
	if p.variation {
		last := len(p.script.turns) - 1
		p.script.turns[last] = append(p.script.turns[last], a)
		return nil
	}
	p.script.turns = append(p.script.turns, []answer{a})
	return nil
}
