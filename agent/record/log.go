package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
)

const (
	eventsName = "events.jsonl"
	tornName   = "events.torn"
	blobsName  = "blobs"
	lockName   = "lock"
)

// Log appends to the record of one run. One goroutine uses it.
type Log struct {
	path  string
	file  file
	blobs blobs
	lock  *flock.Flock

	id     string
	seq    int64          // of the last event on disk
	prev   *string        // hash of the last line on disk
	turns  map[int]string // id of the event that started each turn
	broken error          // the first write that failed; nothing is written after it
}

var _ agent.Recorder = (*Log)(nil)

// file is what a Log needs of *os.File.
type file interface {
	Write([]byte) (int, error)
	Sync() error
	Close() error
}

// WriteError says that an event did not reach the disk.
type WriteError struct {
	Path string
	Err  error
}

// Error names the cause and what can be done.
func (e *WriteError) Error() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC):
		return fmt.Sprintf("the disk is full: %s could not be written; free some space", e.Path)
	case errors.Is(e.Err, syscall.EDQUOT):
		return fmt.Sprintf("the disk quota is used up: %s could not be written; free some space", e.Path)
	case errors.Is(e.Err, syscall.EIO):
		return fmt.Sprintf("the disk failed: %s could not be written; check the disk", e.Path)
	}
	return fmt.Sprintf("%s could not be written: %v", e.Path, e.Err)
}

// Unwrap is the system's error.
func (e *WriteError) Unwrap() error { return e.Err }

// Create begins the record of a new run below dir. The id is the run's ULID.
func Create(dir, id string) (*Log, error) { return begin(dir, id, (*Log).create) }

// begin makes a record below dir in one way or another.
func begin(dir, id string, how func(*Log) error) (*Log, error) {
	if _, err := ulid.ParseStrict(id); err != nil {
		return nil, fmt.Errorf("create record %q: the id is no ULID: %w", id, err)
	}
	l := newLog(filepath.Join(dir, id))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	if err := how(l); err != nil {
		l.unlock()
		return nil, fmt.Errorf("create record: %w", err)
	}
	return l, nil
}

func newLog(path string) *Log {
	return &Log{
		path: path, id: filepath.Base(path), blobs: blobs(filepath.Join(path, blobsName)),
		lock:  flock.New(filepath.Join(path, lockName), flock.SetPermissions(0o600)),
		turns: map[int]string{},
	}
}

func (l *Log) create() error {
	if err := os.Mkdir(l.path, 0o700); err != nil {
		return err
	}
	if err := l.acquire(); err != nil {
		return err
	}
	return l.fill()
}

// fill makes what a folder that is locked lacks of an empty record.
func (l *Log) fill() error {
	if err := os.MkdirAll(string(l.blobs), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.eventsPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.file = f
	return errors.Join(SyncFolder(l.path), SyncFolder(filepath.Dir(l.path)))
}

// acquire takes the lock. It waits a moment, since a reader that looks whether
// the run is going on holds the lock for an instant.
func (l *Log) acquire() error {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	ok, err := l.lock.TryLockContext(ctx, 10*time.Millisecond)
	if ok {
		return nil
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("run %s is being written by another process", l.id)
	}
	return fmt.Errorf("lock %s: %w", l.lock.Path(), err)
}

func (l *Log) unlock() { l.lock.Close() }

// ID is the run's ULID.
func (l *Log) ID() string { return l.id }

// Path is the run's folder.
func (l *Log) Path() string { return l.path }

func (l *Log) eventsPath() string { return filepath.Join(l.path, eventsName) }

// Append makes one event durable. After a failed write it does nothing but
// return the same error: the system may have dropped what it could not write
// and report success the next time.
func (l *Log) Append(e agent.Event) error {
	if l.broken != nil {
		return l.broken
	}
	if e.Kind.Live() || e.Session != l.id || e.Seq != l.seq+1 {
		return fmt.Errorf("append %s (seq %d) of session %s to the record of %s after seq %d: out of place",
			e.Kind, e.Seq, e.Session, l.id, l.seq)
	}
	env, err := wrap(e)
	if err != nil {
		return err
	}
	env.Prev, env.Parent = l.prev, l.parentOf(e)
	texts, err := env.detach()
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.Kind, err)
	}
	line, err := env.line()
	if err != nil {
		return err
	}
	if l.broken = l.write(line, texts); l.broken != nil {
		return l.broken
	}
	l.advance(e, line)
	return nil
}

// write stores the texts first: a line never names a blob that is not there.
func (l *Log) write(line []byte, texts map[string]string) error {
	for ref, text := range texts {
		if err := l.blobs.store(ref, text); err != nil {
			return err
		}
	}
	_, err := l.file.Write(line)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return &WriteError{Path: l.eventsPath(), Err: err}
	}
	return nil
}

func (l *Log) advance(e agent.Event, line []byte) {
	l.seq, l.prev = e.Seq, hashLine(line)
	if e.Kind == agent.KindTurnStarted {
		l.turns[e.Turn] = e.ID
	}
}

// parentOf is the event that e belongs under: the start of its turn or, for the
// start of a turn, the start of the turn it builds on.
func (l *Log) parentOf(e agent.Event) *string {
	turn := e.Turn
	if d, ok := e.Data.(*agent.TurnStarted); ok {
		turn = d.Parent
	}
	if id, ok := l.turns[turn]; ok {
		return &id
	}
	return nil
}

// hashLine is the hash by which the next line names this one, its newline left out.
func hashLine(line []byte) *string {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	sum := sha256.Sum256(line)
	s := hex.EncodeToString(sum[:])
	return &s
}

// Close ends writing. All that Append acknowledged is on disk already.
func (l *Log) Close() error {
	err := l.file.Close()
	l.unlock()
	return err
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
