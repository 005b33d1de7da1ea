package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
)

// errNoEvent says that a record was cut off before its first event: its log has no
// complete line.
var errNoEvent = errors.New("it holds no event")

// Resume opens the record of a run that was cut off and makes it whole: an
// incomplete last line moves to events.torn, turns that were running end, and a
// notice says so. It returns all events, those included.
func Resume(path string, now time.Time) (*Log, []agent.Event, error) {
	l := newLog(path)
	events, err := l.resume(now)
	if err != nil {
		if l.file != nil {
			l.file.Close()
		}
		l.unlock()
		return nil, nil, fmt.Errorf("resume run: %w", err)
	}
	return l, events, nil
}

func (l *Log) resume(now time.Time) ([]agent.Event, error) {
	if _, err := os.Stat(l.eventsPath()); err != nil {
		return nil, err
	}
	if err := l.acquire(); err != nil {
		return nil, err
	}
	r := reader{texts: l.blobs.get}
	if err := r.read(l.path); err != nil {
		return nil, err
	}
	switch {
	case len(r.events) > 0:
	case r.whole == 0:
		return nil, fmt.Errorf("%s: %w", l.eventsPath(), errNoEvent)
	default:
		return nil, fmt.Errorf("%s: no event in it can be read (%v): go on with the program that wrote it, or move the folder away",
			l.eventsPath(), r.problems[0])
	}
	if err := l.mend(r); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(l.eventsPath(), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l.file, l.seq, l.prev = f, r.seq, r.prev
	for _, e := range r.events {
		if e.Kind == agent.KindTurnStarted {
			l.turns[e.Turn] = e.ID
		}
	}
	return l.windUp(r.events, r.torn, now)
}

// mend moves an incomplete last line out of the log.
func (l *Log) mend(r reader) error {
	if r.torn == 0 {
		return nil
	}
	f, err := os.OpenFile(l.eventsPath(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	torn, err := os.OpenFile(filepath.Join(l.path, tornName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(torn, io.MultiReader(io.NewSectionReader(f, r.whole, r.torn), strings.NewReader("\n")))
	if err = errors.Join(err, torn.Sync(), torn.Close(), SyncFolder(l.path)); err != nil {
		return fmt.Errorf("keep the incomplete line: %w", err)
	}
	return errors.Join(f.Truncate(r.whole), f.Sync())
}

// windUp appends what the cut kept from being written.
func (l *Log) windUp(events []agent.Event, torn int64, now time.Time) ([]agent.Event, error) {
	state := agent.Replay(events)
	last := events[len(events)-1]
	add := func(turn int, kind agent.Kind, data any) error {
		e := agent.Event{
			Kind: kind, ID: ulid.Make().String(), Seq: l.seq + 1, Time: now.UTC().Truncate(time.Microsecond),
			Mono: last.Mono, Session: l.id, Group: last.Group, Turn: turn, Actor: agent.ActorHarness, Data: data,
		}
		events = append(events, e)
		return l.Append(e)
	}
	const why = "the program ended before the turn did"
	var errs []error
	for _, t := range state.Turns {
		if t.End != nil {
			continue
		}
		if t.Request != nil && t.Response == nil {
			errs = append(errs, add(t.Number, agent.KindModelResponded, &agent.ModelResponded{Error: "crashed: " + why}))
		}
		errs = append(errs, add(t.Number, agent.KindTurnEnded, &agent.TurnEnded{Outcome: agent.OutcomeInfraError, Summary: why}))
	}
	text := "the record was resumed"
	if torn > 0 {
		text += fmt.Sprintf("; %d bytes of an incomplete line were moved to %s", torn, tornName)
	}
	errs = append(errs, add(0, agent.KindNoticed, &agent.Noticed{Level: agent.LevelInfo, Text: text}))
	return events, errors.Join(errs...)
}
