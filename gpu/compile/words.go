package compile

// Word is one token of CUDA C++ that means something to the compiler proper.
type Word struct {
	Text   string // as written: a literal has its quotes and prefix
	Line   int    // from 1
	Column int    // from 1, in bytes
	Kind   WordKind

	Directive int // number of the preprocessor line it belongs to, 0 for ordinary code
}

// WordKind is the class of a word.
type WordKind uint8

// The classes of words. ">" always stands alone, "<<<" only opens a launch.
const (
	Punctuation WordKind = iota
	Identifier           // keywords too
	Number
	Literal // a string, a character, or the <name> of an #include
)

// Words cuts a text into words: no blanks, no comments and nothing between
// "#if 0" and its #endif. Preprocessor lines count, since a macro's body becomes
// code where the macro is used. It never fails: a literal that is not closed ends
// at its line, a comment at the end of the text.
func Words(text string) []Word {
	var words []Word
	var r reader // follows the conditions
	tokens := lex(text)
	for i := 0; i < len(tokens); {
		from, off := i, r.off > 0
		for i++; i < len(tokens) && tokens[from].directive > 0 && tokens[i].directive == tokens[from].directive; {
			i++
		}
		if tokens[from].directive > 0 {
			r.directive(withoutTrivia(tokens[from:i]))
		}
		if !off {
			words = appendWords(words, tokens[from:i])
		}
	}
	return words
}

func appendWords(words []Word, tokens []token) []Word {
	for _, t := range tokens {
		if !t.trivia() {
			words = append(words, Word{t.text, t.line, t.column, wordKind(t.kind), t.directive})
		}
	}
	return words
}

func wordKind(k kind) WordKind {
	switch k {
	case ident:
		return Identifier
	case number:
		return Number
	case stringLiteral, charLiteral, header:
		return Literal
	}
	return Punctuation
}
