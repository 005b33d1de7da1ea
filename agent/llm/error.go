package llm

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Kind says what went wrong with a request.
type Kind string

// The kinds.
const (
	KindAuth          Kind = "auth"
	KindNotFound      Kind = "not_found"
	KindRateLimited   Kind = "rate_limited"
	KindUnreachable   Kind = "unreachable"
	KindTLS           Kind = "tls"
	KindTimeout       Kind = "timeout"
	KindCut           Kind = "cut"
	KindContextLength Kind = "context_length"
	KindBadRequest    Kind = "bad_request"
	KindServer        Kind = "server"
)

// Error is a request that failed. Its text is one line and holds no key.
type Error struct {
	Kind       Kind
	Status     int           // of the HTTP response, 0 if there was none
	Cause      string        // what happened, in a few words
	Next       string        // what to do
	RetryAfter time.Duration // what the server asked for, 0 if nothing

	again bool // worth sending again, if no token has come yet
}

// Error is the cause, then what to do.
func (e *Error) Error() string { return e.Cause + "; " + e.Next }

// Is makes a timeout match context.DeadlineExceeded, for callers that ask for
// no more than that.
func (e *Error) Is(target error) bool {
	return e.Kind == KindTimeout && target == context.DeadlineExceeded
}

// maxCause bounds what is quoted of a server.
const maxCause = 300

// scrub makes a foreign text fit for one line of a message: no control codes, no
// key, no more than maxCause characters.
func scrub(text string, key Key) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	words := strings.Fields(hide(text, string(key)))
	runes := []rune(strings.Join(words, " "))
	if len(runes) > maxCause {
		return string(runes[:maxCause]) + "..."
	}
	return string(runes)
}

// telling is how many characters of a key give it away. A shorter key is no
// secret but a placeholder that local servers want, and may be any word.
const telling = 8

// hide takes the key out of a text, and what servers quote of its beginning.
func hide(text, key string) string {
	if len(key) < telling {
		return text
	}
	text = strings.ReplaceAll(text, key, hiddenKey)
	words := strings.Split(text, " ")
	for i, word := range words {
		if strings.Contains(word, key[:telling]) {
			words[i] = hiddenKey
		}
	}
	return strings.Join(words, " ")
}

// hideLines is hide for a text of many lines, which stay as they are.
func hideLines(text, key string) string {
	if len(key) < telling || !strings.Contains(text, key[:telling]) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimRight(line, "\r\n")
		lines[i] = hide(body, key) + line[len(body):]
	}
	return strings.Join(lines, "")
}

// statusError makes an Error of a response that is no success.
func statusError(host string, status int, message string, wait time.Duration) *Error {
	e := &Error{Status: status, RetryAfter: wait, Cause: fmt.Sprintf("model endpoint %s answered %d", host, status)}
	if message != "" {
		e.Cause += ": " + message
	}
	e.Kind, e.Next, e.again = diagnose(status, message)
	return e
}

// streamError makes an Error of one that came in the middle of a stream.
func streamError(host, message string) *Error {
	e := &Error{Kind: KindServer, Cause: fmt.Sprintf("model endpoint %s broke off with an error: %s", host, message),
		Next: "retry the turn", again: true}
	if overContext(message) {
		e.Kind, e.Next, e.again = KindContextLength, nextContext, false
	}
	return e
}

// withKey says of a refusal where no key was sent that this may be why.
func (e *Error) withKey(key Key) *Error {
	if e.Kind == KindAuth && key == "" {
		e.Next = "no key was sent: set api_key_env in the profile to the name of a variable, and the variable to the key"
	}
	return e
}

const (
	nextContext = "lower the prompt budget or max_tokens, or serve the model with a longer context"
	nextURL     = "check base_url, which usually ends in /v1"
	nextWait    = "wait and retry the turn"
)

// diagnose maps a status, and the words of servers that use one status for many
// things, to a kind, an advice, and whether sending again may help.
func diagnose(status int, message string) (kind Kind, next string, again bool) {
	words := strings.ToLower(message)
	switch {
	case status == 401 || status == 403:
		return KindAuth, "check the key, and that it may use this model", false
	case status == 402 || strings.Contains(words, "insufficient_quota") || strings.Contains(words, "exceeded your current quota"):
		return KindRateLimited, "the account has no quota left; top it up or use another profile", false
	case status == 429:
		return KindRateLimited, nextWait, true
	case overContext(message):
		return KindContextLength, nextContext, false
	case status == 404 && strings.Contains(words, "model"):
		return KindNotFound, "check the model's name", false
	case status == 404 || status == 405 || status >= 300 && status < 400:
		return KindNotFound, nextURL, false
	case status == 408:
		return KindTimeout, nextWait, true
	case status >= 500:
		return KindServer, nextWait, true
	}
	return KindBadRequest, "check the profile's settings against what the server accepts", false
}

// overContext knows how servers say that a prompt is too long.
func overContext(message string) bool {
	words := strings.ToLower(message)
	for _, phrase := range []string{
		"context length", "context_length", "context window", "context size", "maximum context", "n_ctx",
		"max_model_len", "prompt is too long", "input is too long", "too many tokens", "reduce the length",
	} {
		if strings.Contains(words, phrase) {
			return true
		}
	}
	return false
}
