package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"example.com/hone/gpu"
)

// cacheFormat is part of every key: raise it when the rewriting, the options or
// an entry's layout change.
const cacheFormat = "hone compile 1"

// metaFile describes an entry; it is written last.
const metaFile = "entry.json"

// logFile is what the compiler said.
const logFile = "log.txt"

// pendingPrefix begins the names of folders being filled.
const pendingPrefix = "pending-"

// cache is a folder of builds, each in a folder named by its key. An entry
// appears at once, by a rename, and is never changed. Its modification time is
// when it was last used.
type cache struct {
	folder string
	limit  int64
	mu     *sync.Mutex
	size   *int64 // of all entries as of the last look, -1 before it
}

// cacheEntry is a finished build; its exported fields are metaFile's content.
type cacheEntry struct {
	Sums        map[string]string `json:"sums"` // file -> SHA-256, of every other file
	Diagnostics []gpu.Diagnostic  `json:"diagnostics"`
	Lowered     map[string]string `json:"lowered,omitempty"` // name expression -> symbol, of a device part

	log    []byte
	folder string
}

// file is the path of one of an entry's files, empty when it has none of that
// name.
func (e cacheEntry) file(name string) string {
	if e.Sums[name] == "" {
		return ""
	}
	return filepath.Join(e.folder, name)
}

func openCache(folder string, limit int64) (cache, error) {
	if limit <= 0 {
		limit = 2 << 30
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return cache{}, fmt.Errorf("open compile cache: %w", err)
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return cache{}, fmt.Errorf("open compile cache: %w", err)
	}
	size := int64(-1)
	return cache{folder: absolute, limit: limit, mu: &sync.Mutex{}, size: &size}, nil
}

// key hashes all that decides the result of a build.
func (c *Compiler) key(j job) string {
	h := sha256.New()
	for _, part := range [][]string{
		{cacheFormat, c.tools.Version, c.gxx.path, c.gxx.version},
		{j.unit, j.source.Text, fmt.Sprint(j.source.Trusted)},
		c.gxx.arguments(c.tools, plainFile, j.source.Defines),
		c.gxx.arguments(c.tools, checkedFile, j.source.Defines),
	} {
		for _, s := range part {
			fmt.Fprintf(h, "%d\n%s", len(s), s)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// get returns an entry, if it is there and whole.
func (c cache) get(key string) (cacheEntry, bool) {
	folder := filepath.Join(c.folder, key)
	e, err := readEntry(folder)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.discard(folder)
		}
		return cacheEntry{}, false
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // only the order of eviction depends on it
	return e, true
}

func readEntry(folder string) (cacheEntry, error) {
	raw, err := os.ReadFile(filepath.Join(folder, metaFile))
	if err != nil {
		if _, gone := os.Stat(folder); gone == nil {
			return cacheEntry{}, errors.New("entry without description")
		}
		return cacheEntry{}, err
	}
	e := cacheEntry{folder: folder}
	if err := json.Unmarshal(raw, &e); err != nil {
		return cacheEntry{}, err
	}
	for name, want := range e.Sums {
		got, err := sum(filepath.Join(folder, name))
		if err != nil || got != want {
			return cacheEntry{}, fmt.Errorf("%s is damaged", name)
		}
	}
	if e.log, err = os.ReadFile(filepath.Join(folder, logFile)); err != nil {
		return cacheEntry{}, fmt.Errorf("entry without log: %v", err)
	}
	return e, nil
}

// begin makes a folder to build in.
func (c cache) begin() (string, error) {
	return os.MkdirTemp(c.folder, pendingPrefix)
}

// put turns a folder with a finished build into an entry that keeps the given
// products. When another process was quicker, its entry is used: it was made from
// the same.
func (c cache) put(key, folder string, e cacheEntry, products ...string) (cacheEntry, error) {
	if err := e.write(folder, products); err != nil {
		return cacheEntry{}, err
	}
	e.folder = filepath.Join(c.folder, key)
	if err := os.Rename(folder, e.folder); err != nil {
		stored, readErr := readEntry(e.folder)
		if readErr != nil {
			return cacheEntry{}, err
		}
		return stored, nil
	}
	c.grew(e.folder)
	return e, nil
}

// write describes the files of a folder that are kept and removes the rest.
func (e *cacheEntry) write(folder string, products []string) error {
	e.Sums = map[string]string{}
	if err := os.WriteFile(filepath.Join(folder, logFile), e.log, 0o600); err != nil {
		return err
	}
	present, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range present {
		path := filepath.Join(folder, f.Name())
		if f.Name() != logFile && !slices.Contains(products, f.Name()) {
			_ = os.RemoveAll(path)
			continue
		}
		if e.Sums[f.Name()], err = sum(path); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, metaFile), raw, 0o600)
}

func sum(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:]), nil
}

// discard removes an entry; it is renamed first, so that nobody sees half of it.
func (c cache) discard(folder string) {
	bin, err := os.MkdirTemp(c.folder, pendingPrefix)
	if err != nil {
		return
	}
	_ = os.Rename(folder, filepath.Join(bin, "entry"))
	_ = os.RemoveAll(bin)
}

// grew counts a new entry and makes room when there are too many.
func (c cache) grew(folder string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *c.size >= 0 {
		*c.size += folderSize(folder)
	}
	if *c.size < 0 || *c.size > c.limit {
		*c.size = c.evict()
	}
}

// stored is an entry as the eviction sees it.
type stored struct {
	folder string
	bytes  int64
	used   time.Time
}

// evict drops the entries unused for longest until the rest fits nine tenths of
// the limit, and folders that a killed process left; it returns the size of the
// rest.
func (c cache) evict() int64 {
	entries, total := c.list()
	if total <= c.limit {
		return total
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].used.Before(entries[j].used) })
	for _, e := range entries {
		if total <= c.limit-c.limit/10 {
			break
		}
		c.discard(e.folder)
		total -= e.bytes
	}
	return total
}

// list finds all entries and clears away what was left pending for an hour.
func (c cache) list() (entries []stored, total int64) {
	folders, err := os.ReadDir(c.folder)
	if err != nil {
		return nil, 0
	}
	for _, f := range folders {
		info, err := f.Info()
		if err != nil || !f.IsDir() {
			continue
		}
		folder := filepath.Join(c.folder, f.Name())
		if strings.HasPrefix(f.Name(), pendingPrefix) {
			if time.Since(info.ModTime()) > time.Hour {
				_ = os.RemoveAll(folder)
			}
			continue
		}
		if len(f.Name()) != hex.EncodedLen(sha256.Size) {
			continue // not ours
		}
		size := folderSize(folder)
		entries = append(entries, stored{folder, size, info.ModTime()})
		total += size
	}
	return entries, total
}

func folderSize(folder string) int64 {
	files, _ := os.ReadDir(folder)
	var size int64
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}
