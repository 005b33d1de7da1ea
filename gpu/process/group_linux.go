package process

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// controlGroups is where the system shows its control groups.
const controlGroups = "/sys/fs/cgroup"

// accounts are the files in which a control group says what it may take, what it takes,
// and, in lines of a name and a number, how much of that gives way.
type accounts struct{ limit, usage, statistics, cache string }

// The two versions of control groups.
func version1() accounts {
	return accounts{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "total_inactive_file"}
}

func version2() accounts {
	return accounts{"memory.max", "memory.current", "memory.stat", "inactive_file"}
}

// groupMemory is how many bytes the control groups of a process leave it: as much as
// there may be where none has a limit. Membership is the text of /proc/self/cgroup.
func groupMemory(root, membership string) int64 {
	free := int64(math.MaxInt64)
	for line := range strings.Lines(membership) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "":
			free = min(free, version2().room(root, fields[2]))
		case strings.Contains(","+fields[1]+",", ",memory,"):
			free = min(free, version1().room(filepath.Join(root, "memory"), fields[2]))
		}
	}
	return free
}

// room is what a group and those that it is in leave. A container may see its own group
// as the root.
func (a accounts) room(root, group string) int64 {
	folder := filepath.Join(root, filepath.Join("/", group))
	if _, err := os.Stat(folder); err != nil {
		folder = root
	}
	free := a.free(folder)
	for folder != root {
		folder = filepath.Dir(folder)
		free = min(free, a.free(folder))
	}
	return free
}

// free is what one group leaves.
func (a accounts) free(folder string) int64 {
	limit, limited := number(folder, a.limit)
	usage, known := number(folder, a.usage)
	if !limited || !known {
		return math.MaxInt64
	}
	text, _ := os.ReadFile(filepath.Join(folder, a.statistics)) // without it nothing is known to give way
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == a.cache {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				usage -= min(max(n, 0), usage)
			}
		}
	}
	return max(0, limit-usage)
}

// number reads a file that holds one number, and not "max".
func number(folder, name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n >= 0
}
