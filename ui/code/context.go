package code

import "strings"

// context is the construct that a line begins in. It is all that a line's
// colours depend on beyond its own text, as far as ordinary sources go, so a
// line can be coloured alone when it is put behind the construct's opening.
// What this misses (such as the branches of "#if 0") the pass at the end mends.
type context struct {
	opening string // a line that puts a lexer into the construct; "" outside of any
	closing string // what ends it; "" for the end of the line
}

// after returns the context of the line that follows line.
func (c context) after(line string, lang Language) context {
	switch lang {
	case CUDA:
		return c.afterC(line)
	case Python:
		return c.afterPython(line)
	}
	return context{}
}

func (c context) afterC(line string) context {
	macro := strings.HasPrefix(c.opening, "#") ||
		c.opening == "" && strings.HasPrefix(strings.TrimLeft(line, " "), "#")
	rest := line
	if c.closing != "" {
		at := strings.Index(rest, c.closing)
		if at < 0 {
			return c
		}
		rest = rest[at+len(c.closing):]
	}
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "//"):
			return context{}
		case strings.HasPrefix(rest, "/*"):
			at := strings.Index(rest[2:], "*/")
			if at < 0 {
				return context{opening: "/*\n", closing: "*/"}
			}
			rest = rest[2+at+2:]
		case rest[0] == '"' || rest[0] == '\'':
			rest = afterQuote(rest)
		default:
			rest = rest[1:]
		}
	}
	if macro && strings.HasSuffix(line, `\`) {
		return context{opening: "#define \\\n"}
	}
	return context{}
}

func (c context) afterPython(line string) context {
	rest := line
	if c.closing != "" {
		at := strings.Index(rest, c.closing)
		if at < 0 {
			return c
		}
		rest = rest[at+len(c.closing):]
	}
	for rest != "" {
		switch {
		case rest[0] == '#':
			return context{}
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			quote := rest[:3]
			at := strings.Index(rest[3:], quote)
			if at < 0 {
				return context{opening: quote + "\n", closing: quote}
			}
			rest = rest[3+at+3:]
		case rest[0] == '"' || rest[0] == '\'':
			rest = afterQuote(rest)
		default:
			rest = rest[1:]
		}
	}
	return context{}
}

// afterQuote skips the string that s begins with. One that does not end on its
// line is taken for a lone quote.
func afterQuote(s string) string {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return s[i+1:]
		}
	}
	return s[1:]
}
