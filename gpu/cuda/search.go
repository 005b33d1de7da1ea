package cuda

import (
	"path/filepath"
	"runtime"
)

// Options say where to look for the libraries before the places where the
// system's loader looks. The zero value adds none.
type Options struct {
	Drivers  []string // folders of libcuda and NVML
	Toolkit  string   // root of a CUDA toolkit: what CUDA_HOME names
	Packages []string // site-packages folders, in which pip puts NVRTC
	Major    int      // the newest NVRTC to take, by major version: a driver loads no cubin of a newer one; 0 for any
}

// driverFolders are where containers and WSL put the driver's libraries without
// telling the loader.
var driverFolders = [...]string{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"}

// defaultToolkit is where NVIDIA's installer puts the toolkit.
const defaultToolkit = "/usr/local/cuda"

// driverPaths are the places of a library that comes with the driver.
func (o Options) driverPaths(name string) []string {
	paths := within(o.Drivers, name)
	paths = append(paths, name)
	return append(paths, within(driverFolders[:], name)...)
}

// compilerNames are the names that NVRTC has had, newest first.
func (o Options) compilerNames() []string {
	names := []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}
	newest := 13
	if o.Major > 0 && o.Major < newest {
		names = names[min(newest-o.Major, len(names)-1):]
	}
	return names
}

// compilerPaths are the places of NVRTC: those that the caller named, the
// loader's, and the usual folder of the toolkit. In each the newest is first.
func (o Options) compilerPaths() []string {
	var folders []string
	if o.Toolkit != "" {
		folders = append(folders, toolkitFolders(o.Toolkit)...)
	}
	for _, packages := range o.Packages {
		folders = append(folders,
			filepath.Join(packages, "nvidia", "cu13", "lib"),
			filepath.Join(packages, "nvidia", "cuda_nvrtc", "lib"))
	}
	names := o.compilerNames()
	var paths []string
	for _, folder := range folders {
		paths = append(paths, inFolder(folder, names)...)
	}
	paths = append(paths, names...)
	for _, folder := range toolkitFolders(defaultToolkit) {
		paths = append(paths, inFolder(folder, names)...)
	}
	return paths
}

// toolkitFolders are where a toolkit, or a conda environment, keeps libraries.
func toolkitFolders(root string) []string {
	target := map[string]string{"amd64": "x86_64-linux", "arm64": "sbsa-linux"}[runtime.GOARCH]
	return []string{filepath.Join(root, "lib64"), filepath.Join(root, "targets", target, "lib"), filepath.Join(root, "lib")}
}

// PackagesOf are the site-packages folders of a Python, given its executable,
// which is not run: the program of a virtual environment, or of the system.
func PackagesOf(python string) []string {
	root := filepath.Dir(filepath.Dir(python))
	var packages []string
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err == nil { // only a bad pattern fails
			packages = append(packages, found...)
		}
	}
	return packages
}

// within is one name in several folders.
func within(folders []string, name string) []string {
	var paths []string
	for _, folder := range folders {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// inFolder is several names in one folder.
func inFolder(folder string, names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}
