package torch

import (
	"context"
	"encoding/json"
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
	Stamps       []string // of Python, of torch and of what may be installed beside it or before it
	Passed       []string // folders in which earlier candidates lacked a torch
	Installation Installation
	Python       string
}

// FindKept is [Find] with its result kept in a folder, since to import torch takes
// seconds. It asks again once the candidates, Python or torch are others, once packages
// were installed for the Python that was found or for an earlier candidate, or where a
// torch for a GPU saw none. Where an earlier candidate did not answer it asks every time.
func FindKept(ctx context.Context, candidates []string, folder string) (Installation, error) {
	file := filepath.Join(folder, "torch.json")
	if i, ok := recall(file, candidates); ok {
		return i, nil
	}
	found, passed, err := find(ctx, candidates)
	if err == nil && !passed.unsure {
		keep(file, candidates, found, passed.folders)
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
	now, sound := stamps(k.Installation, k.Passed)
	return k.Installation, sound && slices.Equal(k.Stamps, now) && slices.Equal(k.Places, places(candidates))
}

// keep writes a finding down. What cannot be kept is found again.
func keep(file string, candidates []string, found Installation, passed []string) {
	now, sound := stamps(found, passed)
	blind := found.CUDA != "" && found.Devices == 0
	if !sound || blind || slices.ContainsFunc(places(candidates), isScript) {
		return
	}
	text, err := json.Marshal(kept{Places: places(candidates), Stamps: now, Passed: passed, Installation: found, Python: found.Python})
	if err == nil {
		_ = replace(file, text)
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

// stamps tell whether Python and torch are still those that were looked at, and whether
// packages were installed or removed in a folder since.
func stamps(i Installation, passed []string) (list []string, sound bool) {
	for _, path := range []string{i.Python, filepath.Join(i.Folder, "version.py")} {
		stamp, there := stampOf(path)
		if !there {
			return nil, false
		}
		list = append(list, stamp)
	}
	for _, folder := range slices.Concat([]string{filepath.Dir(i.Folder)}, i.Packages, passed) {
		stamp, _ := stampOf(folder)
		list = append(list, stamp)
	}
	return list, true
}

// stampOf is another one once a file has other content, or a folder other entries.
func stampOf(path string) (stamp string, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return path + " is not there", false
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), true
}
