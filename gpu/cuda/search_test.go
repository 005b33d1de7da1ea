package cuda

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCompilerPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		o      Options
		before []string // are there, in this order
		first  string
	}{
		{"loader alone", Options{}, []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so.13"}, "libnvrtc.so.13"},
		{"toolkit before the loader", Options{Toolkit: "/t"}, []string{"/t/lib64/libnvrtc.so.12", "/t/lib/libnvrtc.so.13", "libnvrtc.so.13"}, "/t/lib64/libnvrtc.so.13"},
		{"both layouts of pip", Options{Packages: []string{"/p"}}, []string{"/p/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "libnvrtc.so.13"}, "/p/nvidia/cu13/lib/libnvrtc.so.13"},
		{"driver of CUDA 12", Options{Major: 12}, []string{"libnvrtc.so.12", "libnvrtc.so.11.2"}, "libnvrtc.so.12"},
		{"driver newer than known", Options{Major: 14}, []string{"libnvrtc.so.13"}, "libnvrtc.so.13"},
		{"driver of CUDA 10", Options{Major: 10}, nil, "libnvrtc.so.11.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			paths := tt.o.compilerPaths()
			if paths[0] != tt.first {
				t.Errorf("first is %s, want %s", paths[0], tt.first)
			}
			last := -1
			for _, want := range tt.before {
				at := slices.Index(paths, want)
				if at <= last {
					t.Errorf("%s is at %d of %q, want it after %d", want, at, paths, last)
				}
				last = at
			}
		})
	}
}

func TestNoNewerCompilerThanTheDriver(t *testing.T) {
	t.Parallel()
	for _, path := range (Options{Major: 12, Toolkit: "/t", Packages: []string{"/p"}}).compilerPaths() {
		if filepath.Base(path) == "libnvrtc.so.13" {
			t.Errorf("%s makes cubins that a driver of CUDA 12 cannot load", path)
		}
	}
}

func TestPackagesOf(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"lib/python3.12/site-packages", "local/lib/python3.11/dist-packages", "lib/other/site-packages"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(root, "lib/python3.12/site-packages"), filepath.Join(root, "local/lib/python3.11/dist-packages")}
	if got := PackagesOf(filepath.Join(root, "bin", "python3")); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
