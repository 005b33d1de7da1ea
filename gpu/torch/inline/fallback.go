package inline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/torch"
)

// extension is what hone_torch/extension.py is asked for.
type extension struct {
	Name      string   `json:"name"`
	CPP       []string `json:"cpp"`
	CUDA      []string `json:"cuda"`
	Functions []string `json:"functions"`
	CFlags    []string `json:"cflags"`
	CUDAFlags []string `json:"cuda_flags"`
	LDFlags   []string `json:"ldflags"`
	Folder    string   `json:"folder"`
}

// byTorch builds a module as torch does, in a minute: with nvcc, ninja and pybind11.
// reason says why. The result is an ordinary extension module, which is cached by
// its sources.
func (b *Builder) byTorch(ctx context.Context, r Request, reason string, limit time.Duration) (Built, error) {
	built := Built{Kind: KindTorch, How: "torch's own builder: " + reason}
	if bad := r.foreignIncludes(); len(bad) > 0 {
		built.Diagnostics = bad
		return built, nil
	}
	x := r.extension()
	if x.Name != r.Name {
		built.Diagnostics = []gpu.Diagnostic{{
			Tool: "hone", File: answerFile, Line: r.Line, Severity: "error", Message: "the name of a module is a C++ identifier",
		}}
		return built, nil
	}
	key, err := b.extensionKey(x)
	if err != nil {
		return built, err
	}
	home := filepath.Join(b.config.Cache, "extensions", key)
	built.Module = filepath.Join(home, x.Name+".so")
	if exists(built.Module) {
		touch(home)
		built.Cached, built.How = true, built.How+", cached"
		return built, nil
	}
	work, err := b.workFolder(home)
	if err != nil {
		return built, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	x.Folder = work
	ok, log, err := b.runExtension(ctx, x, limit)
	if err != nil {
		return built, err
	}
	built.Log = log
	if !ok {
		built.Module, built.Diagnostics = "", failed(string(log))
		return built, nil
	}
	if !exists(built.Module) {
		_ = os.RemoveAll(home) // of a build that lost its module
	}
	if err := os.Rename(work, home); err != nil && !exists(built.Module) {
		return built, fmt.Errorf("keep the module: %w", err)
	}
	trim(filepath.Dir(home), mostKept)
	return built, nil
}

func (b *Builder) workFolder(home string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(home), ".build-*")
	if err != nil {
		return "", err
	}
	return work, os.Chmod(work, 0o755)
}

// foreignIncludes refuses sources that would read files of this machine.
func (r Request) foreignIncludes() []gpu.Diagnostic {
	w := r.whole()
	return w.locate(compile.ForeignIncludes(compile.Parse(r.Name, w.text)))
}

// extension is the request with names and flags that are safe in a shell, and with
// the lines of the answer marked in the sources.
func (r Request) extension() extension {
	x := extension{Name: "hone_inline", CPP: marked(r.CPP, r.CPPLines, "C++ source"), CUDA: marked(r.CUDA, r.CUDALines, "CUDA source")}
	name := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,60}$`)
	if name.MatchString(r.Name) {
		x.Name = r.Name
	}
	for _, f := range r.Functions {
		if name.MatchString(f) {
			x.Functions = append(x.Functions, f)
		}
	}
	x.CFlags, x.CUDAFlags, x.LDFlags = plainFlags(r.CFlags), plainFlags(r.CUDAFlags), libraryFlags(r.LDFlags)
	return x
}

// marked tells the compilers where each source stands in the answer.
func marked(texts []string, lines []int, name string) []string {
	list := []string{}
	for i, text := range texts {
		file, line := name, 1
		if i < len(lines) && lines[i] > 0 {
			file, line = answerFile, lines[i]
		}
		list = append(list, fmt.Sprintf("#line %d %q\n%s\n", line, file, text))
	}
	return list
}

// plainFlags keeps the flags that are known to choose code or macros alone: torch
// writes them into commands of a shell, and others run programs or read files.
func plainFlags(flags []string) []string {
	known := regexp.MustCompile(`^(-O[0-3sg]?|-Ofast|-[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?|-std=[a-z0-9+]+|-g|-G|-v|` +
		`-m[a-z0-9.]+(=[A-Za-z0-9_.-]+)?|-f(no-)?(fast-math|unroll-loops|openmp|PIC|inline-functions|strict-aliasing|math-errno|` +
		`finite-math-only|associative-math|trapping-math|signed-zeros|exceptions|rtti|omit-frame-pointer)|-W(no-)?[a-z0-9-]+|` +
		`--?(use_fast_math|lineinfo|generate-line-info|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|restrict|` +
		`(maxrregcount|fmad|ftz|prec-div|prec-sqrt|rdc|threads|gpu-architecture|arch|extra-device-vectorization)(=[A-Za-z0-9_]+)?)|` +
		`-gencode|--generate-code|-gencode=arch=[a-z0-9_]+,code=[a-z0-9_]+|arch=[a-z0-9_]+,code=[a-z0-9_]+|` +
		`-Xptxas|--ptxas-options=[A-Za-z0-9=-]+|-Xptxas=[A-Za-z0-9=-]+|-dlcm=[a-z]+)$`)
	list := []string{}
	for _, flag := range flags {
		if known.MatchString(flag) {
			list = append(list, flag)
		}
	}
	return list
}

// libraryFlags keeps libraries that are named, not placed.
func libraryFlags(flags []string) []string {
	list := []string{}
	named := regexp.MustCompile(`^-l[A-Za-z0-9_+.-]+$`)
	for _, flag := range flags {
		if named.MatchString(flag) {
			list = append(list, flag)
		}
	}
	return list
}

func (b *Builder) extensionKey(x extension) (string, error) {
	raw, err := json.Marshal(x)
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %s %s %s\n%s", b.config.Installation.Torch, b.config.Installation.CUDA,
		b.config.Installation.Python, b.config.Compiler.Version(), b.arch(), raw)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// runExtension runs the trusted builder in a group of processes that ends with it.
func (b *Builder) runExtension(ctx context.Context, x extension, limit time.Duration) (ok bool, log []byte, err error) {
	programs, err := torch.Prepare(ctx, b.config.Cache)
	if err != nil {
		return false, nil, err
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return false, nil, err
	}
	request := filepath.Join(x.Folder, "request.json")
	if err := os.WriteFile(request, raw, 0o600); err != nil {
		return false, nil, err
	}
	if limit <= 0 {
		limit = gpu.DefaultLimits().Compile
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, b.config.Installation.Python, "-m", "hone_torch.extension", request)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = x.Folder, &out, &out
	cmd.Env = append(b.config.Installation.Environment(programs), b.extensionEnvironment(x.Folder)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, nil, ctx.Err()
	case limited.Err() != nil:
		return false, fmt.Appendf(nil, "torch's builder took longer than %v and was stopped", limit), nil
	case err != nil && !errors.As(err, &exit):
		return false, nil, fmt.Errorf("run torch's builder: %w", err)
	}
	return err == nil, out.Bytes(), nil
}

// extensionEnvironment is what torch's builder asks the environment for.
func (b *Builder) extensionEnvironment(folder string) []string {
	path := ""
	for _, v := range (&exec.Cmd{}).Environ() {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	env := []string{"LC_ALL=C.UTF-8", "TMPDIR=" + folder, "HOME=" + folder, "MAX_JOBS=2", "CXX=" + b.config.Compiler.Path()}
	if number, ok := strings.CutPrefix(b.arch(), "sm_"); ok && len(number) > 1 {
		digits := strings.TrimRight(number, "abcdefghijklmnopqrstuvwxyz")
		env = append(env, "TORCH_CUDA_ARCH_LIST="+digits[:len(digits)-1]+"."+number[len(digits)-1:])
	}
	if b.config.GPU != nil && b.config.GPU.CUDAHome != "" {
		env = append(env, "CUDA_HOME="+b.config.GPU.CUDAHome)
		path = filepath.Join(b.config.GPU.CUDAHome, "bin") + ":" + path
	}
	return append(env, "PATH="+path)
}

// failed reads what went wrong; without a message the last line has to do.
func failed(log string) []gpu.Diagnostic {
	list := compile.LogDiagnostics(log, answerFile, "CUDA source", "C++ source")
	for _, d := range list {
		if d.Severity == "error" {
			return list
		}
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return append(list, gpu.Diagnostic{Tool: "torch", File: answerFile, Severity: "error", Message: lines[len(lines)-1]})
}
