package inline

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed headers binder
var sources embed.FS

// torchHeader is what a unit includes first.
const torchHeader = "hone_torch.h"

// shimText is the content of every header in shimNames.
const shimText = "// Everything that this header names is in hone_torch.h, or is nothing that a kernel needs.\n"

// shimNames lists headers that answers include and that hone_torch.h stands for:
// torch's own would take the compiler half a minute, CUDA's do not exist on a CPU.
func shimNames() []string {
	return []string{
		"torch/extension.h", "torch/torch.h", "torch/all.h", "torch/types.h", "torch/python.h", "torch/script.h",
		"torch/library.h", "torch/cuda.h", "torch/csrc/utils/pybind.h", "torch/csrc/autograd/function.h",
		"pybind11/pybind11.h", "pybind11/numpy.h", "pybind11/stl.h",
		"ATen/ATen.h", "ATen/Functions.h", "ATen/NativeFunctions.h", "ATen/cuda/CUDAContext.h",
		"ATen/cuda/CUDAContextLight.h", "ATen/cuda/Exceptions.h", "ATen/cuda/CUDAUtils.h", "ATen/cuda/CUDAEvent.h",
		"ATen/cuda/DeviceUtils.cuh", "ATen/cuda/CUDAApplyUtils.cuh", "ATen/cuda/detail/KernelUtils.h",
		"ATen/native/cuda/KernelUtils.cuh", "c10/cuda/CUDAStream.h", "c10/cuda/CUDAException.h", "c10/cuda/CUDAGuard.h",
		"c10/cuda/CUDAFunctions.h", "c10/cuda/CUDAMacros.h", "c10/cuda/CUDAMathCompat.h",
	}
}

// writeHeaders fills a folder of headers: hone_torch.h, and below shims the rest.
// added are headers of other packages that go beside it.
func writeHeaders(folder string, added map[string]string) error {
	text, err := sources.ReadFile("headers/" + torchHeader)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, torchHeader), text, 0o644); err != nil {
		return err
	}
	for name, text := range added {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, name := range shimNames() {
		path := filepath.Join(folder, shimFolder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(shimText), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shimFolder is where the shims lie in a folder of headers.
const shimFolder = "shims"

// sourcesHash changes with the binder and the headers.
func sourcesHash() (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	for _, name := range shimNames() {
		fmt.Fprintln(hash, name)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}
