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
// was cut off before its first event. It removes nothing: a record that cannot be
// read is an error. Nobody else may be opening the same.
func Open(dir, id string, now time.Time) (*Log, []agent.Event, error) {
	l, events, err := Resume(filepath.Join(dir, id), now)
	if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errNoEvent) {
		return l, events, err
	}
	l, err = begin(dir, id, (*Log).refill)
	return l, nil, err
}

// refill begins a record in a folder that may be there, and that holds no event.
func (l *Log) refill() error {
	if err := os.MkdirAll(l.path, 0o700); err != nil {
		return err
	}
	if err := l.acquire(); err != nil {
		return err
	}
	var r reader
	if err := r.read(l.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if r.whole > 0 {
		return fmt.Errorf("%s is no longer empty", l.eventsPath())
	}
	if err := l.mend(r); err != nil {
		return err
	}
	return l.fill()
}
