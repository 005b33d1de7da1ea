package torch

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed python/hone_torch/*.py python/hone_torch/facts/*.py
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

// programs are the embedded texts by their path below the folder, and their hash.
func programs() (map[string][]byte, string, error) {
	texts, hash := make(map[string][]byte), sha256.New()
	err := fs.WalkDir(sources, sourceFolder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, sourceFolder+"/")
		fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
		texts[name] = text
		return nil
	})
	if err != nil {
		return nil, "", err
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
	for name, text := range texts {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
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
