package inline

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mostKept is how many bytes each folder of builds may hold.
const mostKept = 1 << 30

// abandoned is the age at which a build that has not appeared counts as given up.
const abandoned = time.Hour

// kept is one build of a folder: a file, or a folder of files.
type kept struct {
	path  string
	bytes int64
	used  time.Time
}

// touch says that a build was used. Only the order of removal depends on it.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// trim removes the builds unused for longest until the rest takes nine tenths of the
// limit, and what builds that were killed left behind. Who has a build loaded keeps it.
func trim(folder string, limit int64) {
	builds, total := list(folder)
	if total <= limit {
		return
	}
	slices.SortFunc(builds, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range builds {
		if total <= limit-limit/10 {
			return
		}
		if remove(k.path) == nil {
			total -= k.bytes
		}
	}
}

// remove has a build disappear at once: it takes the name of an abandoned one first, so
// that nobody finds a part of it, and whoever is killed meanwhile leaves it to be cleared
// away.
func remove(path string) error {
	away := filepath.Join(filepath.Dir(path), ".old-"+filepath.Base(path))
	if err := os.RemoveAll(away); err != nil {
		return err
	}
	if err := os.Rename(path, away); err != nil {
		return err
	}
	return os.RemoveAll(away)
}

// list finds the builds of a folder and clears away the abandoned ones, whose names
// begin with a dot.
func list(folder string) (builds []kept, total int64) {
	entries, _ := os.ReadDir(folder) // a folder that is not there holds nothing
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") {
			if time.Since(info.ModTime()) > abandoned {
				_ = os.RemoveAll(path)
			}
			continue
		}
		k := kept{path, bytesBelow(path), info.ModTime()}
		builds, total = append(builds, k), total+k.bytes
	}
	return builds, total
}

func bytesBelow(path string) int64 {
	var total int64
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
