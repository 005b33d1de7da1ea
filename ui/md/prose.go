package md

import (
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// Prose is Markdown that is still being written. One goroutine owns it. The
// zero value is empty and ready to use.
type Prose struct {
	cleaner term.Cleaner
	split   splitter
	blocks  []string        // finished
	partial strings.Builder // the line that is not complete
}

// Feed adds the next piece of the stream, raw as it came.
func (p *Prose) Feed(piece string) { p.add(p.cleaner.Write(piece)) }

// Close ends the stream: all that is open becomes finished.
func (p *Prose) Close() {
	p.add(p.cleaner.Flush())
	if p.partial.Len() > 0 {
		p.add("\n")
	}
	if len(p.split.lines) > 0 {
		whole := p.split.whole
		p.blocks = append(p.blocks, p.split.take())
		if whole { // a definition may concern any block before it
			p.blocks = []string{strings.Join(p.blocks, "\n\n")}
		}
	}
}

func (p *Prose) add(text string) {
	for {
		line, rest, found := strings.Cut(text, "\n")
		p.partial.WriteString(line)
		if !found {
			return
		}
		p.blocks = append(p.blocks, p.split.line(p.partial.String())...)
		p.partial.Reset()
		text = rest
	}
}

// Blocks returns the finished blocks, as Markdown.
func (p *Prose) Blocks() []string { return p.blocks }

// Tail returns the open end, as Markdown.
func (p *Prose) Tail() string {
	tail := p.split.open()
	if len(p.split.lines) > 0 {
		tail += "\n"
	}
	return tail + p.partial.String()
}

// Rows draws all of it in rows of at most width cells: finished blocks as the
// cache has them, the rest wrapped and plain. The blocks in missing are finished
// but not in the cache: render them in a command.
func (p *Prose) Rows(width int, th theme.Theme, cache *Cache) (rows, missing []string) {
	for _, block := range p.blocks {
		drawn, ok := cache.Rows(block, width, th)
		if !ok {
			missing = append(missing, block)
			drawn = term.Wrap(block, width)
		}
		rows = appendBlock(rows, drawn)
	}
	if tail := strings.TrimRight(p.Tail(), "\n "); tail != "" {
		rows = appendBlock(rows, term.Wrap(tail, width))
	}
	return rows, missing
}

// RenderAll draws a whole text at once, for where nothing streams.
func RenderAll(text string, width int, th theme.Theme) []string {
	var p Prose
	p.Feed(text)
	p.Close()
	var rows []string
	for _, block := range p.blocks {
		rows = appendBlock(rows, Render(block, width, th).Rows)
	}
	return rows
}

// appendBlock keeps one blank row between blocks.
func appendBlock(rows, block []string) []string {
	if len(rows) > 0 && len(block) > 0 {
		rows = append(rows, "")
	}
	return append(rows, block...)
}
