package torch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// kept is what Find found, and what it depended on.
type kept struct {
	Places       []string // of the candidates, in order, empty for what is nowhere
	Stamps       []string // of Python and of torch, see stampOf
	Installation Installation
	Python       string
}

// FindKept is [Find] with its result kept in a folder, since to import torch takes
// seconds. It asks again once the candidates, Python or torch are others, or where a
// torch for a GPU saw none.
func FindKept(ctx context.Context, candidates []string, folder string) (Installation, error) {
	file := filepath.Join(folder, "torch.json")
	if i, ok := recall(file, candidates); ok {
		return i, nil
	}
	found, err := Find(ctx, candidates)
	if err == nil {
		keep(file, candidates, found)
	}
	return found, err
}

// recall reads what is kept, if it still holds.
func recall(file string, candidates []string) (Installation, bool) {
	text, err := os.ReadFile(file)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil {
		return Installation{}, false
	}
	k.Installation.Python = k.Python
	now, sound := stamps(k.Installation)
	return k.Installation, sound && slices.Equal(k.Stamps, now) && slices.Equal(k.Places, places(candidates))
}

// keep writes a finding down. What cannot be kept is found again.
func keep(file string, candidates []string, found Installation) {
	now, sound := stamps(found)
	blind := found.CUDA != "" && found.Devices == 0
	if !sound || blind || slices.ContainsFunc(places(candidates), isScript) {
		return
	}
	text, err := json.Marshal(kept{Places: places(candidates), Stamps: now, Installation: found, Python: found.Python})
	if err != nil {
		return
	}
	temporary := fmt.Sprintf("%s.%d", file, os.Getpid())
	err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(temporary, text, 0o600))
	if err != nil || os.Rename(temporary, file) != nil {
		_ = os.Remove(temporary)
	}
}

// places is where the candidates are by now.
func places(candidates []string) []string {
	list := make([]string, len(candidates))
	for i, c := range candidates {
		list[i], _ = exec.LookPath(c) // empty for what is nowhere
	}
	return list
}

// isScript reports whether a candidate is a text that may choose another Python each
// time it is run.
func isScript(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var start [2]byte
	_, err = io.ReadFull(file, start[:])
	return err == nil && string(start[:]) == "#!"
}

// stamps tell whether Python and torch are still those that were looked at.
func stamps(i Installation) (list []string, sound bool) {
	for _, path := range []string{i.Python, filepath.Join(i.Folder, "version.py")} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, false
		}
		list = append(list, fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()))
	}
	return list, true
}
