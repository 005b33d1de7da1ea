package torch

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
)

//go:embed python/hone_torch/find.py
var findProgram string

// findLimit bounds the look at one Python: importing torch from a cold disk takes long.
const findLimit = 2 * time.Minute

// Installation is a Python with a torch that works.
type Installation struct {
	Python        string   `json:"-"` // the executable, as an absolute path
	PythonVersion string   `json:"python_version"`
	Torch         string   `json:"torch"`          // its version, such as "2.11.0+cu130"
	CUDA          string   `json:"cuda"`           // the version that torch was built for, empty for a CPU build
	Devices       int      `json:"devices"`        // GPUs that torch can use
	Folder        string   `json:"folder"`         // of the package torch
	Includes      []string `json:"includes"`       // for C++ that includes torch's headers; empty where there are none
	Libraries     []string `json:"libraries"`      // folders with libtorch and libc10
	PythonInclude string   `json:"python_include"` // where Python.h belongs; it may not be there
	Extension     string   `json:"extension"`      // how the name of an extension module ends
	CXX11ABI      bool     `json:"cxx11_abi"`      // the value for _GLIBCXX_USE_CXX11_ABI
	Triton        bool     `json:"triton"`
	Compile       bool     `json:"compile"`   // torch.compile exists, which does not say that it works
	UserSite      string   `json:"user_site"` // the person's own packages, empty where Python takes none
	Packages      []string `json:"packages"`  // folders into which packages are installed; they may not be there
	Missing       string   `json:"missing"`   // why torch cannot be imported; always empty in a result of Find
}

// Environment is what a process of this Python needs that finds hone's programs in
// folder, see [Prepare]. It gets a home folder of its own, so the person's packages
// are named; and the name of a user, which torch asks the system for otherwise, by
// way of a socket.
func (i Installation) Environment(folder string) []string {
	path := folder
	if i.UserSite != "" {
		path += ":" + i.UserSite
	}
	env := []string{
		"PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONNOUSERSITE=1", "LOGNAME=hone",
	}
	return append(env, driverPath()...)
}

// driverPath tells the loader of the folders in which containers and WSL put the
// driver's libraries without telling it.
func driverPath() []string {
	var folders []string
	for _, folder := range []string{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"} {
		if _, err := os.Stat(folder); err == nil {
			folders = append(folders, folder)
		}
	}
	if len(folders) == 0 {
		return nil
	}
	return []string{"LD_LIBRARY_PATH=" + strings.Join(folders, ":")}
}

// MissingError says that no Python with torch was found, what each candidate lacked,
// and how to get one.
type MissingError struct {
	Tried []string // "python3: why not"
}

func (e *MissingError) Error() string {
	tried := "no Python was named"
	if len(e.Tried) > 0 {
		tried = strings.Join(e.Tried, "; ")
	}
	return "no Python with PyTorch (" + tried + "): get one with `pip install torch`, on Debian `apt install python3-torch`, and name its Python"
}

// Find returns the first of the candidates, names or paths of a Python, that can
// import torch. None is a [MissingError].
func Find(ctx context.Context, candidates []string) (Installation, error) {
	found, _, err := find(ctx, candidates)
	return found, err
}

// passedOver is what is known of the candidates before the one that was found.
type passedOver struct {
	folders []string // in which they lack a torch
	unsure  bool     // one is there that did not answer, and may the next time
}

// errNotFound means that there is no such Python.
var errNotFound = errors.New("not found")

// find is Find, and says what it passed over.
func find(ctx context.Context, candidates []string) (found Installation, passed passedOver, err error) {
	missing := &MissingError{}
	for _, candidate := range candidates {
		if candidate == "" {
			continue
		}
		found, err := look(ctx, candidate)
		if ctx.Err() != nil {
			return Installation{}, passedOver{}, ctx.Err()
		}
		if err == nil {
			return found, passed, nil
		}
		passed.folders = append(passed.folders, found.Packages...)
		absent := errors.Is(err, errNotFound) || errors.Is(err, fs.ErrNotExist)
		passed.unsure = passed.unsure || len(found.Packages) == 0 && !absent
		missing.Tried = append(missing.Tried, candidate+": "+err.Error())
	}
	return Installation{}, passedOver{}, missing
}

// look asks one Python, of which only the packages' folders are known where it has no
// torch. It runs as a process of the oracle would, with nothing of
// the environment, so that what it finds is what that will find.
func look(ctx context.Context, candidate string) (Installation, error) {
	ctx, cancel := context.WithTimeout(ctx, findLimit)
	defer cancel()
	// What is on PATH may be a script that chooses a Python by the environment.
	python, err := ask(exec.CommandContext(ctx, candidate, "-c", "import sys; print(sys.executable)"))
	if err != nil {
		return Installation{}, err
	}
	cmd := exec.CommandContext(ctx, python, "-B", "-c", findProgram)
	cmd.Env = append(driverPath(), "PATH=/usr/bin:/bin", "LANG=C.UTF-8")
	text, err := ask(cmd)
	if err != nil {
		return Installation{}, err
	}
	found := Installation{Python: python}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return Installation{}, fmt.Errorf("it answered %q instead of JSON", oneLine(text))
	}
	if found.Missing != "" {
		return Installation{Packages: found.Packages}, errors.New(oneLine(found.Missing))
	}
	return found, nil
}

// ask runs a command and returns the last line it printed.
func ask(cmd *exec.Cmd) (string, error) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errNotFound
	}
	if err != nil {
		return "", fmt.Errorf("%w %s", err, oneLine(log.String()))
	}
	text := strings.TrimSpace(out.String())
	return text[strings.LastIndex(text, "\n")+1:], nil
}
