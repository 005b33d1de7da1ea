package compile

import "strings"

// lexer cuts CUDA C++ into tokens. It never fails: a literal that is not closed
// ends at its line, a comment or raw string at the end of the text, and a byte
// that belongs nowhere is punctuation.
type lexer struct {
	src        string
	tokens     []token
	pos        int
	line       int
	lineStart  int
	directive  int   // of the line being read, 0 outside
	directives int   // seen so far
	fresh      bool  // nothing but trivia on this line yet
	last       token // the last token that is not trivia
	before     token // the one before it
}

// lex returns the tokens of a source.
func lex(src string) []token {
	l := &lexer{src: src, line: 1, fresh: true}
	for l.pos < len(src) {
		l.next()
	}
	return l.tokens
}

func (l *lexer) next() {
	rest := l.src[l.pos:]
	switch c := rest[0]; {
	case c == '\n' || strings.HasPrefix(rest, "\r\n"):
		l.emit(newline, 1+strings.IndexByte(rest, '\n'))
		l.directive, l.fresh = 0, true
	case spaceLen(rest) > 0:
		l.emit(space, spaceLen(rest))
	case strings.HasPrefix(rest, "//"):
		l.emit(comment, lineCommentLen(rest))
	case strings.HasPrefix(rest, "/*"):
		l.emit(comment, blockCommentLen(rest))
	case l.expectsHeader() && headerLen(rest) > 0:
		l.emit(header, headerLen(rest))
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.emit(number, numberLen(rest))
	case isIdentStart(c):
		l.word(rest)
	case c == '"':
		l.emit(stringLiteral, quotedLen(rest))
	case c == '\'':
		l.emit(charLiteral, quotedLen(rest))
	default:
		l.punctuation(rest)
	}
}

// word reads an identifier, or the literal that it is the prefix of.
func (l *lexer) word(rest string) {
	n := identLen(rest)
	literal := rest[n:]
	switch rest[:n] {
	case "R", "LR", "uR", "UR", "u8R":
		if size := rawLen(literal); size > 0 {
			l.emit(stringLiteral, n+size)
			return
		}
	case "L", "u", "U", "u8":
		if strings.HasPrefix(literal, `"`) {
			l.emit(stringLiteral, n+quotedLen(literal))
			return
		}
		if strings.HasPrefix(literal, "'") {
			l.emit(charLiteral, n+quotedLen(literal))
			return
		}
	}
	l.emit(ident, n)
}

func (l *lexer) punctuation(rest string) {
	if l.fresh && (rest[0] == '#' || strings.HasPrefix(rest, "%:")) {
		l.directives++
		l.directive = l.directives
	}
	if strings.HasPrefix(rest, "<<<") && l.launchable() {
		l.emit(punct, 3)
		return
	}
	if rest[0] == '>' && l.closesAngle() {
		l.emit(punct, 1)
		return
	}
	l.emit(punct, punctLen(rest))
}

// launchable reports whether what was read can be the kernel of a launch.
func (l *lexer) launchable() bool {
	switch l.last.kind {
	case ident:
		return l.last.text != "operator"
	case punct:
		return l.last.text == ">" || l.last.text == ")" || l.last.text == "]"
	}
	return false
}

// closesAngle keeps ">" apart from what follows it, because ">>" may close two
// templates and ">>>" a launch; only ">=" by itself stays whole.
func (l *lexer) closesAngle() bool {
	rest := l.src[l.pos:]
	afterAngle := l.last.text == ">" && l.last.end() == l.pos
	return afterAngle || !strings.HasPrefix(rest, ">=")
}

// expectsHeader reports whether the line reads "#include" so far.
func (l *lexer) expectsHeader() bool {
	return l.directive > 0 && l.before.directive == l.directive && (l.before.text == "#" || l.before.text == "%:") &&
		(l.last.text == "include" || l.last.text == "include_next" || l.last.text == "import")
}

func (l *lexer) emit(k kind, size int) {
	t := token{
		kind: k, text: l.src[l.pos : l.pos+size], offset: l.pos,
		line: l.line, column: l.pos - l.lineStart + 1, directive: l.directive,
	}
	if k == newline {
		t.directive = 0
	}
	l.tokens = append(l.tokens, t)
	if !t.trivia() {
		l.before, l.last = l.last, t
		l.fresh = false
	}
	if i := strings.LastIndexByte(t.text, '\n'); i >= 0 {
		l.line += strings.Count(t.text, "\n")
		l.lineStart = l.pos + i + 1
	}
	l.pos += size
}

// spaceLen measures blanks and line continuations, but no newline.
func spaceLen(s string) int {
	n := 0
	for n < len(s) {
		switch {
		case s[n] == ' ' || s[n] == '\t' || s[n] == '\v' || s[n] == '\f':
			n++
		case s[n] == '\r' && !strings.HasPrefix(s[n:], "\r\n"):
			n++
		case continuationLen(s[n:]) > 0:
			n += continuationLen(s[n:])
		default:
			return n
		}
	}
	return n
}

func continuationLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\\\n"):
		return 2
	case strings.HasPrefix(s, "\\\r\n"):
		return 3
	}
	return 0
}

func lineCommentLen(s string) int {
	for i := 2; i < len(s); i++ {
		if n := continuationLen(s[i:]); n > 0 {
			i += n - 1
			continue
		}
		if s[i] == '\n' || strings.HasPrefix(s[i:], "\r\n") {
			return i
		}
	}
	return len(s)
}

func blockCommentLen(s string) int {
	if end := strings.Index(s[2:], "*/"); end >= 0 {
		return 2 + end + 2
	}
	return len(s)
}

// headerLen measures <name>, 0 when it is not closed on its line.
func headerLen(s string) int {
	if s[0] != '<' {
		return 0
	}
	end := strings.IndexAny(s, ">\n")
	if end < 0 || s[end] == '\n' {
		return 0
	}
	return end + 1
}

// quotedLen measures a string or character literal; an open one ends before the
// newline, so that an apostrophe in #error or disabled code costs one line only.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && strings.HasPrefix(s[i+1:], "\r\n"):
			i += 2
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\n':
			return i
		}
	}
	return len(s)
}

// rawLen measures "delimiter(...)delimiter", 0 when s does not open one.
func rawLen(s string) int {
	if !strings.HasPrefix(s, `"`) {
		return 0
	}
	open := strings.IndexByte(s, '(')
	if open < 0 || open > 17 || strings.ContainsAny(s[1:open], " \t\n\\)\"") {
		return 0
	}
	closing := ")" + s[1:open] + `"`
	if end := strings.Index(s[open:], closing); end >= 0 {
		return open + end + len(closing)
	}
	return len(s)
}

// numberLen measures a preprocessing number: 1'000, 0x1p-3f, 1e+9.
func numberLen(s string) int {
	i := 1
	for i < len(s) {
		switch c := s[i]; {
		case isIdentStart(c) || isDigit(c) || c == '.':
			i++
		case c == '\'' && i+1 < len(s) && (isIdentStart(s[i+1]) || isDigit(s[i+1])):
			i += 2
		case (c == '+' || c == '-') && strings.IndexByte("eEpP", s[i-1]) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

func identLen(s string) int {
	i := 0
	for i < len(s) && (isIdentStart(s[i]) || isDigit(s[i])) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isIdentStart admits every byte beyond ASCII: g++ decides which letters count.
func isIdentStart(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func punctLen(s string) int {
	for n := min(3, len(s)); n > 1; n-- {
		switch s[:n] {
		case "...", "->*", "<<=", "<=>",
			"->", "::", "<<", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "##", ".*", "%:",
			"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=":
			return n
		}
	}
	return 1
}
