package torch

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed python/hone_torch/*.py
var sources embed.FS

const sourceFolder = "python/hone_torch"

// Prepare unpacks hone's Python programs below dir and returns the folder that
// belongs on PYTHONPATH. Its name is a hash of their text, so that several versions
// and several processes can share dir.
func Prepare(ctx context.Context, dir string) (string, error) {
	texts, version, err := programs()
	if err != nil {
		return "", err
	}
	home := filepath.Join(dir, "torch-"+version)
	if _, err := os.Stat(home); err == nil {
		return home, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := install(dir, home, texts); err != nil {
		return "", fmt.Errorf("unpack the Python programs to %s: %w", home, err)
	}
	return home, nil
}

// programs are the embedded texts by file name, and their hash.
func programs() (map[string][]byte, string, error) {
	entries, err := fs.ReadDir(sources, sourceFolder)
	if err != nil {
		return nil, "", err
	}
	texts, hash := make(map[string][]byte), sha256.New()
	for _, entry := range entries {
		text, err := sources.ReadFile(path.Join(sourceFolder, entry.Name()))
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", entry.Name(), len(text), text)
		texts[entry.Name()] = text
	}
	return texts, hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// install writes to a folder of its own and renames it into place, so that it is
// there whole or not at all. Losing the race to another process is success.
func install(dir, home string, texts map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(dir, ".torch-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	folder := filepath.Join(work, path.Base(sourceFolder))
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := os.Rename(work, home); err != nil {
		if _, there := os.Stat(home); there != nil {
			return err
		}
	}
	return nil
}
