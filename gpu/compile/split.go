package compile

import (
	"fmt"
	"sort"
	"strings"
)

// parts is a text split in two: the device part for NVRTC, the host part for g++.
// Both have the lines of the original, and what they keep of it stands at its
// place.
type parts struct {
	device   rewritten
	host     rewritten
	includes []string // of the device part, taken to its top
	items    []item
	needs    *NeedsNVCC
}

// splitFile splits a text, unless it needs nvcc.
func splitFile(f File) parts { return splitFor(f, unsplittableRules()) }

// splitFor is splitFile where other rules say what needs nvcc.
func splitFor(f File, rules []rule) parts {
	items := outlineOf(f.source)
	s := splitter{sides: findSides(f, items), file: f, all: lex(f.Text)}
	s.pragmas = findPragmas(s.all)
	if need := findNeeds(f, s.sides, rules); need != nil {
		return parts{needs: need}
	}
	return parts{
		device:   apply(f.Text, s.deviceEdits()),
		host:     apply(f.Text, s.hostEdits()),
		includes: s.deviceIncludes(),
		items:    items,
	}
}

// splitter makes the edits of both parts.
type splitter struct {
	*sides
	file    File
	all     []token      // trivia and preprocessor lines too
	pragmas map[int]bool // by number of the preprocessor line
}

func (s *splitter) deviceEdits() []edit {
	edits := s.commonEdits(deviceSide)
	for i, it := range s.items {
		if it.kind == functionItem && it.open > 0 && !s.dropped[deviceSide][i] { // of lambdas there
			edits = append(edits, s.blankWords(it.open, it.last, "__device__", "__host__")...)
		}
	}
	for _, inc := range s.includes {
		if !deviceInclude(inc.name) || hoisted(inc) {
			edits = append(edits, s.blankInclude(inc))
		}
	}
	return edits
}

func (s *splitter) hostEdits() []edit {
	edits := s.commonEdits(hostSide)
	for _, inc := range s.includes {
		if toolkitInclude(inc.name) {
			edits = append(edits, s.blankInclude(inc))
		}
	}
	for i, it := range s.items {
		if it.kind == functionItem && it.kernel() && !s.dropped[hostSide][i] {
			edits = append(edits, s.stubEdits(it)...)
		}
	}
	for i, l := range s.file.Launches {
		edits = append(edits, s.launchEdits(i, l.site)...)
	}
	return edits
}

// deviceIncludes lists the headers that the device part begins with, where a
// precompiled header can hold them.
func (s *splitter) deviceIncludes() []string {
	var names []string
	for _, inc := range s.includes {
		if hoisted(inc) {
			names = append(names, inc.name)
		}
	}
	return names
}

// commonEdits drops what a part does not keep, and comments; and gives what has
// internal linkage a name that both parts share.
func (s *splitter) commonEdits(p side) []edit {
	var edits []edit
	for i, it := range s.items {
		first, last := s.code[it.first], s.code[it.last-1]
		switch {
		case s.dropped[p][i]:
			edits = append(edits, s.blank(first.offset, last.end())...)
		case it.kind == namespaceItem:
			edits = append(edits, s.nameNamespace(it)...)
		case it.kind == variableItem && it.onDevice() && !it.constant():
			edits = append(edits, s.blankWords(it.first, it.last, "static")...)
		}
	}
	for _, t := range s.all {
		if t.kind == comment && t.directive == 0 {
			edits = append(edits, edit{t.offset, t.end(), []piece{made(blanks(t.text))}})
		}
	}
	return edits
}

// nameNamespace makes "namespace {" an inline namespace with a name.
func (s *splitter) nameNamespace(it item) []edit {
	for i := it.first; i < it.open; i++ {
		if t := s.code[i]; t.is("namespace") {
			return []edit{
				{t.offset, t.offset, []piece{made("inline ")}},
				{t.end(), t.end(), []piece{made(" " + unnamed)}},
			}
		}
	}
	return nil
}

// stubEdits replaces a kernel's body by one that launches it.
func (s *splitter) stubEdits(it item) []edit {
	edits := s.blankWords(it.first, it.parameters, "static", "inline", "__inline__", "__forceinline__")
	if it.open == 0 {
		return edits
	}
	names, naming, _ := parameterNames(s.source, it)
	open := s.code[it.open]
	edits = append(edits, naming...)
	edits = append(edits, edit{open.offset, open.end(), []piece{made(stubBody(names))}})
	return append(edits, s.blank(open.end(), s.code[it.last-1].end())...)
}

// launchEdits turns k<<<c>>>(args) into a call of k that is configured first.
func (s *splitter) launchEdits(number int, l launchSite) []edit {
	kernel := tokenRange{l.kernel[0].offset, l.kernel[len(l.kernel)-1].end()}
	breaks := lineBreaks(s.text[kernel.start:l.open.end()], l.macro != nil)
	head := fmt.Sprintf("%s::hone::configure(%d, %s", gap(s.text, kernel.start), number, breaks)
	tail := []piece{made(") ? (void)0 : "), expression(s.text, kernel, l.kernel)}
	return []edit{
		{kernel.start, l.open.end(), []piece{made(head)}},
		{l.close.end() - len(">>>"), l.close.end(), tail},
	}
}

// blankWords removes words from the tokens in [first, last).
func (s *splitter) blankWords(first, last int, words ...string) []edit {
	var edits []edit
	for _, t := range s.code[first:last] {
		for _, w := range words {
			if t.is(w) {
				edits = append(edits, edit{t.offset, t.end(), []piece{made(blanks(t.text))}})
			}
		}
	}
	return edits
}

// blank removes a part of the text but keeps its preprocessor lines, which others
// depend on; pragmas go too.
func (s *splitter) blank(start, end int) []edit {
	var edits []edit
	first := sort.Search(len(s.all), func(i int) bool { return s.all[i].offset >= start })
	for i := first; i < len(s.all) && s.all[i].offset < end; i++ {
		t := s.all[i]
		last := len(edits) - 1
		switch {
		case t.directive > 0 && !s.pragmas[t.directive]:
		case last >= 0 && edits[last].end == t.offset:
			edits[last].end = t.end()
		default:
			edits = append(edits, edit{start: t.offset, end: t.end()})
		}
	}
	for i, e := range edits {
		edits[i].pieces = []piece{made(blanks(s.text[e.start:e.end]))}
	}
	return edits
}

// findPragmas lists the preprocessor lines that are a #pragma.
func findPragmas(all []token) map[int]bool {
	found := map[int]bool{}
	for i, t := range all {
		if t.is("pragma") && i > 0 && t.directive > 0 && all[i-1].directive == t.directive {
			found[t.directive] = true
		}
	}
	return found
}

func (s *splitter) blankInclude(inc include) edit {
	start := strings.LastIndexByte(s.text[:inc.at.offset], '\n') + 1
	return edit{start, inc.at.end(), []piece{made(blanks(s.text[start:inc.at.end()]))}}
}

// blanks is a text of the same size and lines without content.
func blanks(text string) string {
	raw := []byte(text)
	for i, c := range raw {
		if c != '\n' && c != '\r' {
			raw[i] = ' '
		}
	}
	return string(raw)
}
