package tasks

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// keyLines tells on which line each key of a TOML text stands: "dims",
// "sizes.small.rows", "input.0.shape". It is for texts that decode.
func keyLines(text string) map[string]int {
	index := lineIndex{lines: map[string]int{}, count: map[string]int{}}
	index.parser.Reset([]byte(text))
	var table string
	for index.parser.NextExpression() {
		node := index.parser.Expression()
		switch node.Kind {
		case unstable.Table:
			table = index.mark("", node)
		case unstable.ArrayTable:
			table = index.element(node)
		case unstable.KeyValue:
			index.keyValue(table, node)
		}
	}
	return index.lines
}

type lineIndex struct {
	parser unstable.Parser
	lines  map[string]int
	count  map[string]int // elements seen of each array of tables
}

// mark notes the line of a node's key below a table and returns the whole key.
func (x *lineIndex) mark(table string, node *unstable.Node) string {
	var parts []string
	if table != "" {
		parts = append(parts, table)
	}
	line := 0
	for key := node.Key(); key.Next(); {
		parts = append(parts, string(key.Node().Data))
		if line == 0 {
			line = x.parser.Shape(key.Node().Raw).Start.Line
		}
	}
	whole := strings.Join(parts, ".")
	x.lines[whole] = line
	return whole
}

// element is mark for the next element of an array of tables.
func (x *lineIndex) element(node *unstable.Node) string {
	array := x.mark("", node)
	element := array + "." + strconv.Itoa(x.count[array])
	x.count[array]++
	x.lines[element] = x.lines[array]
	return element
}

func (x *lineIndex) keyValue(table string, node *unstable.Node) {
	key := x.mark(table, node)
	if node.Value().Kind != unstable.InlineTable {
		return
	}
	for inner := node.Value().Children(); inner.Next(); {
		x.keyValue(key, inner.Node())
	}
}
