package compile

// kind is the class of a token.
type kind uint8

// The token kinds. A line continuation is part of a space, so a newline token
// always ends a preprocessor line.
const (
	space         kind = iota // blanks and line continuations
	newline                   // one "\n" or "\r\n"
	comment                   // either form, without the newline after a // comment
	ident                     // identifiers and keywords
	number                    // a preprocessing number, digit separators included
	stringLiteral             // a string literal, raw ones included
	charLiteral               // a character literal
	header                    // the <...> after #include
	punct                     // everything else; ">" always stands alone, "<<<" only opens a launch
)

// token is one piece of the source. The tokens of a text tile it exactly.
type token struct {
	kind      kind
	text      string
	offset    int
	line      int // 1-based, of the first byte
	column    int // 1-based, in bytes
	directive int // number of the preprocessor line it belongs to, 0 for ordinary code
}

func (t token) end() int { return t.offset + len(t.text) }

func (t token) is(text string) bool { return t.text == text && (t.kind == punct || t.kind == ident) }

// trivia reports whether the token means nothing to the compiler proper.
func (t token) trivia() bool { return t.kind <= comment }
