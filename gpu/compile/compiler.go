package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/hone/gpu"
)

// Toolchain is what sources are compiled with.
type Toolchain struct {
	GXX      string // the compiler: a path or a name to look up
	Include  string // folder of hone_emulate.h
	Version  string // changes whenever a header does
	Emulator string // the program that loads the objects; what it exports counts as defined
}

// Compiler builds sources and keeps what it built. It may be used by several
// goroutines, and its cache by several processes.
type Compiler struct {
	tools Toolchain
	gxx   compiler
	store cache
	known map[string]bool // symbols that the emulator defines, nil when unknown

	headers *headerIndex // of CUDA toolkits
}

// New makes a compiler that caches in a folder, up to a number of bytes: 0 takes
// 2 GB. A missing compiler is an error that wraps [ErrNoCompiler].
func New(ctx context.Context, tools Toolchain, folder string, bytes int64) (*Compiler, error) {
	gxx, err := findCompiler(ctx, tools)
	if err != nil {
		return nil, err
	}
	store, err := openCache(folder, bytes)
	if err != nil {
		return nil, err
	}
	return &Compiler{tools: tools, gxx: gxx, store: store, known: exports(tools.Emulator), headers: newHeaderIndex()}, nil
}

// Source is one text to build.
type Source struct {
	Name    string // for messages
	Text    string // CUDA C++, as written
	Unit           // how it is called
	Defines []string
	Limit   time.Duration // of one compiler run; 0 takes the default
	Trusted bool          // our own text: the checked object is not needed
}

// Artifact is the result of a build.
type Artifact struct {
	Plain       string // path of the object that is timed, empty when the text did not compile
	Checked     string // path of the object in which every memory access is reported; none of a trusted text
	File        File
	Diagnostics []gpu.Diagnostic
	Log         []byte // what the compiler said, raw, at most 1 MB
	Key         string // names everything that went in
	Cached      bool
	Elapsed     time.Duration
}

// OK reports whether the text compiled.
func (a Artifact) OK() bool { return a.Plain != "" }

// Build compiles a source to its two objects. A text that does not compile, or
// not within the limit, is an Artifact that is not OK; an error means that the
// compiler could not be asked.
func (c *Compiler) Build(ctx context.Context, src Source) (Artifact, error) {
	start := time.Now()
	file := Parse(src.Name, src.Text)
	code := forEmulation(file)
	j := job{source: src, file: file, code: code, unit: translationUnit(src.Unit, code.text)}
	if bad := foreignIncludes(file); len(bad) > 0 {
		return Artifact{File: file, Diagnostics: bad, Elapsed: time.Since(start)}, nil
	}
	a, err := c.find(ctx, j)
	a.File, a.Elapsed = file, time.Since(start)
	return a, err
}

// job is one build.
type job struct {
	source Source
	file   File
	code   rewritten
	unit   string
}

// find takes a build from the cache or makes it.
func (c *Compiler) find(ctx context.Context, j job) (Artifact, error) {
	key := c.key(j)
	if e, ok := c.store.get(key); ok {
		return artifact(e, key, true), nil
	}
	folder, err := c.store.begin()
	if err != nil {
		return Artifact{}, fmt.Errorf("compile %s: %w", j.source.Name, err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	a, final, err := c.compile(ctx, j, folder)
	if err != nil {
		return Artifact{}, fmt.Errorf("compile %s: %w", j.source.Name, err)
	}
	a.Key = key
	if !final {
		return a, nil
	}
	var products []string
	if a.OK() {
		products = []string{plainFile, checkedFile}
	}
	e, err := c.store.put(key, folder, cacheEntry{Diagnostics: a.Diagnostics, log: a.Log}, products...)
	if err != nil {
		return Artifact{}, fmt.Errorf("compile %s: %w", j.source.Name, err)
	}
	return artifact(e, key, false), nil
}

// artifact is what a cache entry says of a build.
func artifact(e cacheEntry, key string, cached bool) Artifact {
	return Artifact{
		Plain: e.file(plainFile), Checked: e.file(checkedFile), Diagnostics: e.Diagnostics, Log: e.log,
		Key: key, Cached: cached,
	}
}

// compile runs the compiler in a folder. The answer is final unless another try
// may end differently.
func (c *Compiler) compile(ctx context.Context, j job, folder string) (a Artifact, final bool, err error) {
	if err := os.WriteFile(filepath.Join(folder, unitFile), []byte(j.unit), 0o600); err != nil {
		return a, false, err
	}
	plain, checked, err := c.both(ctx, j.source, folder)
	if err != nil {
		return a, false, err
	}
	result := plain
	if plain.ok && !checked.ok {
		result = checked
	}
	if bytes.Contains(result.output, []byte("No space left on device")) {
		if err := probeSpace(folder); err != nil {
			return a, false, fmt.Errorf("write to the cache: %w", err)
		}
	}
	a.Log = result.output
	e := explainer{job: j}
	a.Diagnostics = e.diagnostics(parseGXX(string(result.output)), result)
	if !plain.ok || !checked.ok {
		return a, result.exited, nil
	}
	if missing := e.undefined(filepath.Join(folder, plainFile), c.known); len(missing) > 0 {
		a.Diagnostics = append(missing, a.Diagnostics...)
		return a, true, nil
	}
	a.Plain = plainFile
	return a, true, nil
}

// both runs the two builds side by side. When the plain one fails, the other
// would only say the same again and is stopped.
func (c *Compiler) both(ctx context.Context, src Source, folder string) (plain, checked run, err error) {
	limit := src.Limit
	if limit <= 0 {
		limit = gpu.DefaultLimits().Compile
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop, stopChecked := context.WithCancel(limited)
	defer stopChecked()
	done := make(chan error, 1)
	go func() {
		if src.Trusted {
			checked.ok = true
			done <- nil
			return
		}
		var err error
		checked, err = c.gxx.run(stop, folder, c.gxx.arguments(c.tools, checkedFile, src.Defines))
		done <- err
	}()
	plain, err = c.gxx.run(limited, folder, c.gxx.arguments(c.tools, plainFile, src.Defines))
	failed := err != nil || !plain.ok
	if failed {
		stopChecked()
	}
	checkedErr := <-done
	if ctx.Err() != nil {
		return plain, checked, ctx.Err()
	}
	if failed {
		checkedErr = nil // it was stopped, perhaps before it had started
	}
	plain.limit, checked.limit = limit, limit
	return plain, checked, errors.Join(err, checkedErr)
}

// probeSpace tells a full disk from a text that only makes the compiler say so.
func probeSpace(folder string) error {
	path := filepath.Join(folder, "probe")
	defer func() { _ = os.Remove(path) }()
	return os.WriteFile(path, make([]byte, 1<<20), 0o600)
}

// Version is what g++ says of itself, in one line.
func (c *Compiler) Version() string { return c.gxx.version }
