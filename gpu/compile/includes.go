package compile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// headerIndex knows the content of headers by path, so that a cache key can tell
// when one of those that a text includes has changed. It may be used by several
// goroutines.
type headerIndex struct {
	mu    sync.Mutex
	files map[string]headerFile
}

// headerFile is one header as of its size and time.
type headerFile struct {
	size     int64
	modified time.Time
	digest   [sha256.Size]byte
	includes []string
}

func newHeaderIndex() *headerIndex { return &headerIndex{files: map[string]headerFile{}} }

// manyHeaders bounds how many headers are followed.
const manyHeaders = 4096

// write puts what the named headers, and all that they include, contain into a
// hash. Folders are searched in order; a header that is nowhere counts as absent.
func (x *headerIndex) write(h io.Writer, folders, names []string) {
	seen := map[string]bool{}
	type wanted struct{ name, from string }
	var queue []wanted
	for _, name := range names {
		queue = append(queue, wanted{name, ""})
	}
	for len(queue) > 0 && len(seen) < manyHeaders {
		next := queue[0]
		queue = queue[1:]
		path, file, ok := x.find(next.name, next.from, folders)
		if !ok {
			path = "absent " + next.name
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		fmt.Fprintf(h, "%s\n%x\n", path, file.digest)
		for _, name := range file.includes {
			queue = append(queue, wanted{name, filepath.Dir(path)})
		}
	}
}

// find looks a header up, beside the one that includes it first.
func (x *headerIndex) find(name, beside string, folders []string) (string, headerFile, bool) {
	for _, folder := range append([]string{beside}, folders...) {
		if folder == "" {
			continue
		}
		path := filepath.Join(folder, name)
		if file, ok := x.read(path); ok {
			return path, file, true
		}
	}
	return "", headerFile{}, false
}

func (x *headerIndex) read(path string) (headerFile, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return headerFile{}, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if known, ok := x.files[path]; ok && known.size == info.Size() && known.modified.Equal(info.ModTime()) {
		return known, true
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return headerFile{}, false
	}
	file := headerFile{
		size: info.Size(), modified: info.ModTime(), digest: sha256.Sum256(raw), includes: includedNames(string(raw)),
	}
	x.files[path] = file
	return file, true
}

// includedNames lists what the #include lines of a header name.
func includedNames(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			continue
		}
		if rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "include"); !ok {
			continue
		}
		rest = strings.TrimSpace(rest)
		if len(rest) < 2 || rest[0] != '<' && rest[0] != '"' {
			continue
		}
		if end := strings.IndexAny(rest[1:], `>"`); end > 0 {
			names = append(names, rest[1:1+end])
		}
	}
	return names
}
