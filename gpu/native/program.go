package native

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

//go:embed source
var shared embed.FS

// sharedFolder is where shared lies in a program's folder.
const sharedFolder = "source"

// DefaultCompiler is the C++ compiler that programs are built with.
const DefaultCompiler = "g++"

// MissingCompilerError says that no C++ compiler was found, and how to get one.
type MissingCompilerError struct {
	Name string // what was looked for
}

func (e *MissingCompilerError) Error() string {
	hint := "apt install g++"
	if runtime.GOOS == "darwin" {
		hint = "xcode-select --install"
	}
	return fmt.Sprintf("no C++ compiler %q: get one with: %s", e.Name, hint)
}

// Program is a worker program as it is embedded.
type Program struct {
	Name    string   // of the file that is built
	Sources []fs.FS  // unpacked into one folder; every .cpp file is compiled
	Flags   []string // for the compiler, beyond those that every program takes
}

// Built is a program on this machine.
type Built struct {
	Program  string // the file to start
	Folder   string // holds the program and its sources
	Compiler string // as an absolute path
	Version  string // changes with the program, the compiler and the machine
}

// Build returns the program below dir, building it when it is not there yet. The
// compiler is given by name or path; a missing one is a [MissingCompilerError]. A
// second call, in this process or another, finds it done. Several processes may
// call it at once.
func (p Program) Build(ctx context.Context, dir, compiler string) (Built, error) {
	gxx, err := exec.LookPath(compiler)
	if err == nil {
		gxx, err = filepath.Abs(gxx)
	}
	if err != nil {
		return Built{}, &MissingCompilerError{Name: compiler}
	}
	version, err := p.version(gxx)
	if err != nil {
		return Built{}, fmt.Errorf("prepare %s: %w", p.Name, err)
	}
	home := filepath.Join(dir, version)
	built := Built{Program: filepath.Join(home, p.Name), Folder: home, Compiler: gxx, Version: version}
	if _, err := os.Stat(built.Program); err == nil {
		return built, nil
	}
	if err := p.install(ctx, built); err != nil {
		return Built{}, fmt.Errorf("prepare %s in %s: %w", p.Name, dir, err)
	}
	return built, nil
}

// version hashes everything the build depends on. The compiler counts by its file,
// not by its output: asking it would cost more than all the rest.
func (p Program) version(gxx string) (string, error) {
	real, err := filepath.EvalSymlinks(gxx)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %d %d %s/%s\n", real, info.Size(), info.ModTime().UnixNano(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(hash, "%s %q\n", p.Name, p.arguments())
	err = p.eachSource(func(path string, text []byte) error {
		_, err := fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil))[:16], err
}

// eachSource goes through the shared files and the program's own, in one order.
func (p Program) eachSource(use func(path string, text []byte) error) error {
	for _, sources := range append([]fs.FS{shared}, p.Sources...) {
		err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(sources, path)
			if err != nil {
				return err
			}
			return use(path, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
