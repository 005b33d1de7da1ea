package torch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Memo keeps descriptions of references in files, so that a reference is not run again
// only to learn what it takes and gives. Several processes may share a folder.
type Memo struct {
	Folder string
	Torch  string // version
	Device string // name of the GPU, or "cpu"
}

// Recall is the description of a reference, by its text, if one is kept. What cannot be
// read counts as none: it will be made again.
func (m Memo) Recall(reference string) (d Description, known bool, err error) {
	path, err := m.path(reference)
	if err != nil {
		return d, false, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("read a kept description: %w", err)
	}
	known = json.Unmarshal(text, &d) == nil && len(d.Outputs) > 0
	return d, known, nil
}

// Keep stores a description whole or not at all.
func (m Memo) Keep(reference string, d Description) error {
	path, err := m.path(reference)
	if err != nil {
		return err
	}
	text, err := json.Marshal(d)
	if err == nil {
		err = replace(path, text)
	}
	if err != nil {
		return fmt.Errorf("keep a description: %w", err)
	}
	return nil
}

// path depends on all that a description does: hone's own programs among it.
func (m Memo) path(reference string) (string, error) {
	_, version, err := programs()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, part := range []string{version, m.Torch, m.Device, reference} {
		fmt.Fprintf(hash, "%d %s\n", len(part), part)
	}
	return filepath.Join(m.Folder, hex.EncodeToString(hash.Sum(nil))+".json"), nil
}

// replace writes a file under another name and renames it into place.
func replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".keep-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
