package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/hone/agent"
)

// Open opens the record of a run of that id below dir for writing, whether it was
// begun or not, and returns the events on record: none for one that is new, or
// was cut off before its first event. Nobody else may be opening the same.
func Open(dir, id string, now time.Time) (*Log, []agent.Event, error) {
	path := filepath.Join(dir, id)
	l, events, err := Resume(path, now)
	if err == nil {
		return l, events, nil
	}
	if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errNoEvent) {
		return nil, nil, err
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, nil, fmt.Errorf("begin the record anew: %w", err)
	}
	l, err = Create(dir, id)
	return l, nil, err
}
