package md

import "strings"

// literal keeps what looks like HTML as the text it is. Renderers drop tags, and
// with them the argument of std::vector<float>. Code is left alone: there, marks
// mean themselves.
func literal(block string) string {
	var out, prose strings.Builder
	fence := ""
	for line := range strings.SplitAfterSeq(block, "\n") {
		if fence == "" {
			fence = fenceOf(withoutMarkers(line))
			if fence == "" {
				prose.WriteString(line)
				continue
			}
			out.WriteString(literalTags(prose.String()))
			prose.Reset()
		} else if closes(line, fence) {
			fence = ""
		}
		out.WriteString(line)
	}
	return out.String() + literalTags(prose.String())
}

// literalTags escapes each "<" of text without fences, except in code spans and
// before addresses.
func literalTags(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(s, "`<\\")
		if i < 0 {
			return out.String() + s
		}
		out.WriteString(s[:i])
		s = s[i:]
		n := 1
		switch {
		case s[0] == '`':
			n = spanLength(s)
		case s[0] == '\\':
			n = min(2, len(s))
		case !isAddress(s[1:]):
			out.WriteString("&lt;")
			s = s[1:]
			continue
		}
		out.WriteString(s[:n])
		s = s[n:]
	}
}

// spanLength is the length of the code span that s begins with, or of its run of
// backquotes if nothing closes it.
func spanLength(s string) int {
	run := len(s) - len(strings.TrimLeft(s, "`"))
	for at := run; ; {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			return run
		}
		at += next
		length := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		at += length
		if length == run {
			return at
		}
	}
}

// isAddress says that s, behind a "<", is an address of the web or of mail.
func isAddress(s string) bool {
	inner, _, closed := strings.Cut(s, ">")
	return closed && !strings.ContainsAny(inner, " <\n") &&
		(strings.Contains(inner, "://") || strings.Contains(inner, "@"))
}
