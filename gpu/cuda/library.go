package cuda

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// maxParameters is the most that a function of functions.h takes.
const maxParameters = 11

// function is one function of a library.
type function struct {
	name       string
	parameters int
	optional   bool
	trampoline unsafe.Pointer
	address    unsafe.Pointer // nil where the library lacks it
}

// library is a loaded library. It never changes, and any goroutine may call.
type library struct {
	name      string // for messages
	path      string // the file it came from
	functions map[string]function
	explain   func(code int) (name, text string)
}

// load opens the first of paths that the loader takes, and looks up the
// functions whose names start with prefix.
func load(name, prefix string, paths []string) (*library, error) {
	reason := name + " was not found"
	for _, path := range paths {
		handle, err := openLibrary(path)
		if err == nil {
			return resolve(name, prefix, handle)
		}
		if !strings.Contains(err.Error(), path+": cannot open shared object file: No such file") {
			reason = fmt.Sprintf("%s cannot be loaded: %s", name, err)
		}
	}
	return nil, &Unavailable{Cause: NoLibrary, Reason: reason}
}

func resolve(name, prefix string, handle unsafe.Pointer) (*library, error) {
	l := &library{name: name, functions: map[string]function{}}
	for _, f := range listed() {
		if !strings.HasPrefix(f.name, prefix) {
			continue
		}
		f.address = findFunction(handle, f.name)
		if f.address == nil && !f.optional {
			return nil, &Unavailable{Cause: NoSymbol, Reason: fmt.Sprintf("%s has no function %s", name, f.name)}
		}
		if f.address != nil && l.path == "" {
			l.path = origin(f.address)
		}
		l.functions[f.name] = f
	}
	return l, nil
}

// has reports whether the library has an optional function.
func (l *library) has(name string) bool { return l.functions[name].address != nil }

// call calls a function with integers, C pointers (unsafe.Pointer), and pointers
// to Go values, which stay pinned for the duration of the call.
func (l *library) call(name string, args ...any) error {
	f := l.functions[name]
	if f.address == nil {
		return &Unavailable{Cause: NoSymbol, Reason: fmt.Sprintf("%s has no function %s", l.name, name), Remedy: "install a newer version"}
	}
	if len(args) != f.parameters {
		return fmt.Errorf("call %s: %d arguments for %d parameters", name, len(args), f.parameters)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	var words [maxParameters]uint64
	for i, arg := range args {
		words[i] = word(&pins, arg)
	}
	code := invoke(f, &words)
	if code == 0 {
		return nil
	}
	codeName, text := l.explain(code)
	return &Error{Library: l.name, Call: name, Code: code, Name: codeName, Text: text}
}

// word is an argument as a trampoline takes it.
func word(pins *runtime.Pinner, arg any) uint64 {
	switch v := reflect.ValueOf(arg); {
	case v.CanInt():
		return uint64(v.Int())
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Pointer && !v.IsNil():
		pins.Pin(arg)
		fallthrough
	default:
		return uint64(v.Pointer())
	}
}

// text calls a function of a library that leaves a string.
func (l *library) text(name string, code int) string {
	var s unsafe.Pointer
	if err := l.call(name, code, &s); err != nil {
		return ""
	}
	return goString(s)
}

// maxText bounds the strings that libraries give: their ends are only promised.
const maxText = 64 << 10

// goString copies a string of C.
func goString(s unsafe.Pointer) string {
	if s == nil {
		return ""
	}
	n := 0
	for n < maxText && *(*byte)(unsafe.Add(s, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(s), n))
}

// cText is a string for C: its first byte, with a NUL after its last.
func cText(s string) *byte {
	return unsafe.SliceData(append([]byte(s), 0))
}

// cTexts pins strings and is the array of their addresses for C, nil for none.
func cTexts(pins *runtime.Pinner, texts []string) *uintptr {
	if len(texts) == 0 {
		return nil
	}
	addresses := make([]uintptr, len(texts))
	for i, s := range texts {
		text := cText(s)
		pins.Pin(text)
		addresses[i] = uintptr(unsafe.Pointer(text))
	}
	return unsafe.SliceData(addresses)
}

// untilNUL is the text of a buffer that C filled.
func untilNUL(buffer []byte) string {
	text, _, _ := strings.Cut(string(buffer), "\x00")
	return text
}
