package code

import (
	"strings"

	"example.com/hone/ui/theme"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Language is what a text is written in.
type Language string

// The languages of answers and references. Text in any other is shown plain.
const (
	CUDA   Language = "cuda"
	Python Language = "python"
	Plain  Language = ""
)

const (
	// maxText is the longest text that is coloured: beyond it, colours cost
	// seconds and help nobody.
	maxText = 512 << 10
	// maxLine is the longest line, and maxBlank the most blank lines in a row, in
	// a text that is coloured: the lexers' patterns are not linear in either.
	maxLine  = 2 << 10
	maxBlank = 200
)

// Highlight colours a whole text, whose control characters are already removed,
// and returns its lines. It takes about 0.1 ms a line: call it in a command, not
// in Update or View. Stripped of colours, the lines are those of the text.
func Highlight(text string, lang Language, th theme.Theme) []string {
	return newStyler(lang, th).lines(text)
}

// styler colours text of one language in one theme.
type styler struct {
	lexer chroma.Lexer // nil: no colour
	code  theme.Code
}

func newStyler(lang Language, th theme.Theme) styler {
	s := styler{code: th.Code}
	if (lang == CUDA || lang == Python) && th.Code != (theme.Code{}) {
		s.lexer = lexers.Get(string(lang))
	}
	return s
}

// lines colours text and splits it at its line breaks, as strings.Split does.
func (s styler) lines(text string) []string {
	plain := strings.Split(text, "\n")
	if s.lexer == nil || len(text) > maxText || !isOrdinary(plain) {
		return plain
	}
	tokens, err := chroma.Tokenise(chroma.Coalesce(s.lexer), &chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return plain
	}
	nameFunctions(tokens)
	styled := s.split(tokens, len(plain))
	for i, line := range plain {
		if i >= len(styled) || styled[i].raw != line {
			return plain // a lexer that changes text is not believed
		}
	}
	rows := make([]string, len(plain))
	for i := range rows {
		rows[i] = styled[i].text.String()
	}
	return rows
}

// nameFunctions marks the names that are called, launched or defined. The C++
// lexer sees few of them: it gives up at templates and qualifiers.
func nameFunctions(tokens []chroma.Token) {
	for i := range len(tokens) - 1 {
		next := tokens[i+1].Value
		if tokens[i].Type == chroma.Name && (strings.HasPrefix(next, "(") || next == "<<<") {
			tokens[i].Type = chroma.NameFunction
		}
	}
}

// after colours text that begins in the context, and returns its lines.
func (s styler) after(at context, text string) []string {
	rows := s.lines(at.opening + text)
	return rows[strings.Count(at.opening, "\n"):]
}

// isOrdinary says that the lexers are up to the lines.
func isOrdinary(lines []string) bool {
	blank := 0
	for _, line := range lines {
		blank++
		if strings.TrimSpace(line) != "" {
			blank = 0
		}
		if len(line) > maxLine || blank > maxBlank {
			return false
		}
	}
	return true
}

// styledLine is a line as it is put together from tokens.
type styledLine struct {
	raw  string
	text strings.Builder
}

// split colours the tokens and cuts them into n lines or one more, since lexers
// may end the text with a line break of their own.
func (s styler) split(tokens []chroma.Token, n int) []*styledLine {
	lines := make([]*styledLine, 1, n+1)
	lines[0] = &styledLine{}
	for _, t := range tokens {
		style := s.style(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, &styledLine{})
			}
			last := lines[len(lines)-1]
			last.raw += part
			last.text.WriteString(style.Render(part))
		}
	}
	return lines
}

// style maps a kind of token to a role, from the special to the general.
func (s styler) style(kind chroma.TokenType) theme.Style {
	switch kind {
	case chroma.KeywordDeclaration:
		return s.code.Qualifier
	case chroma.KeywordType, chroma.NameClass:
		return s.code.Type
	case chroma.NameFunction, chroma.NameFunctionMagic:
		return s.code.Function
	case chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameConstant:
		return s.code.Builtin
	case chroma.NameDecorator:
		return s.code.Preproc
	case chroma.OperatorWord:
		return s.code.Launch
	}
	switch {
	case kind.InSubCategory(chroma.CommentPreproc):
		return s.code.Preproc
	case kind.InCategory(chroma.Comment):
		return s.code.Comment
	case kind.InCategory(chroma.Keyword):
		return s.code.Keyword
	case kind.InSubCategory(chroma.LiteralString):
		return s.code.String
	case kind.InSubCategory(chroma.LiteralNumber):
		return s.code.Number
	}
	return theme.Style{}
}
