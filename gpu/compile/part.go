package compile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/hone/gpu"
)

// Part is one of the two builds of a split text.
type Part struct {
	Path    string // of the object, empty when the part did not compile
	Key     string // names everything that went in
	Log     []byte // what the compiler said, raw
	Cached  bool
	Elapsed time.Duration
}

// partJob is the build of one part.
type partJob struct {
	name    string   // of the text, for errors
	product string   // the file that the build makes
	unit    string   // what the compiler sees
	inputs  []string // whatever else decides the result
	lines   bool     // line numbers reach the result
	build   func(ctx context.Context, folder string) (partResult, error)
}

// partResult is how a build ended. It is final unless another try may end
// differently.
type partResult struct {
	entry cacheEntry
	ok    bool
	final bool
}

// keys names a build by all that went in, and by all but where its lines stand.
// The second one serves builds that nothing was said about, so that a part is not
// built again when the other one grows by a line.
func (j partJob) keys() (exact, loose string) {
	exact = partKey("lines", j.unit, j.inputs)
	if !j.lines && !placed(j.unit) {
		loose = partKey("no lines", condensed(j.unit), j.inputs)
	}
	return exact, loose
}

func partKey(form, unit string, inputs []string) string {
	h := sha256.New()
	for _, s := range append([]string{cacheFormat, form, unit}, inputs...) {
		fmt.Fprintf(h, "%d\n%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// placed reports whether a text can tell its own line numbers.
func placed(unit string) bool {
	return strings.Contains(unit, "__LINE__") || strings.Contains(unit, "assert") ||
		strings.Contains(unit, "source_location")
}

// condensed drops empty lines and blanks at the ends of lines.
func condensed(unit string) string {
	var b strings.Builder
	for line := range strings.Lines(unit) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// built is a part and what its cache entry says.
type built struct {
	part  Part
	entry cacheEntry
}

// unnamed reports whether NVRTC did not know a name that it was asked for.
func (b built) unnamed() bool { return bytes.Contains(b.entry.log, []byte(nameMap+"(")) }

// part finds a part in the cache or makes it.
func (c *Compiler) part(ctx context.Context, j partJob) (built, error) {
	start := time.Now()
	exact, loose := j.keys()
	for _, key := range []string{loose, exact} {
		if key == "" {
			continue
		}
		if e, ok := c.store.get(key); ok {
			p := Part{Path: e.file(j.product), Key: key, Log: e.log, Cached: true, Elapsed: time.Since(start)}
			return built{p, e}, nil
		}
	}
	b, err := c.makePart(ctx, j, exact, loose)
	if err != nil {
		return built{}, fmt.Errorf("compile %s: %w", j.name, err)
	}
	b.part.Elapsed = time.Since(start)
	return b, nil
}

// makePart builds a part and keeps it.
func (c *Compiler) makePart(ctx context.Context, j partJob, exact, loose string) (built, error) {
	folder, err := c.store.begin()
	if err != nil {
		return built{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	r, err := j.build(ctx, folder)
	if err != nil {
		return built{}, err
	}
	b := built{Part{Key: exact, Log: r.entry.log}, r.entry}
	if r.ok && loose != "" && len(r.entry.Diagnostics) == 0 {
		b.part.Key = loose
	}
	if !r.final {
		return b, nil
	}
	var products []string
	if r.ok {
		products = []string{j.product}
	}
	if b.entry, err = c.store.put(b.part.Key, folder, r.entry, products...); err != nil {
		return built{}, err
	}
	b.part.Path = b.entry.file(j.product)
	return b, nil
}

// limit is how long one compiler may run.
func (s Source) limit() time.Duration {
	if s.Limit > 0 {
		return s.Limit
	}
	return gpu.DefaultLimits().Compile
}
