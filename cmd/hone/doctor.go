package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/gpu"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/worker"
)

// finding is one thing the doctor looked at.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // "ok", "missing" or "off"
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"` // what to do where something is missing
	Needed bool   `json:"needed"`           // nothing can be judged without it
}

type doctorOptions struct{ offline, bench bool }

// doctorReport is the JSON form of what was found.
type doctorReport struct {
	Schema   string       `json:"schema"`
	Version  string       `json:"version"`
	Usable   bool         `json:"usable"` // kernels can be judged
	Findings []finding    `json:"findings"`
	Bench    *benchReport `json:"bench,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var opts doctorOptions
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "What was found on this machine, what is missing, and how to get it",
		Long:    "What was found on this machine, what is missing, and how to get it.\n\nExit codes: 0 kernels can be judged here, 5 they cannot.",
		Example: "  hone doctor\n  hone doctor --json\n  hone doctor --bench",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.doctor(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON (hone.doctor/1)")
	cmd.Flags().BoolVar(&opts.offline, "offline", false, "do not ask the model's endpoint")
	cmd.Flags().BoolVar(&opts.bench, "bench", false, "measure as well: compiler, spread of times, sandbox, and a GPU's peaks (about half a minute)")
	compilerFlag(cmd)
	return cmd
}

func (a *app) doctor(ctx context.Context, opts doctorOptions) error {
	report := doctorReport{Schema: "hone.doctor/1", Version: version, Usable: true, Findings: a.examine(ctx, opts.offline)}
	for _, f := range report.Findings {
		report.Usable = report.Usable && (!f.Needed || f.Status == "ok")
	}
	if opts.bench && report.Usable {
		bench := a.bench(ctx)
		report.Bench = &bench
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.flags.json {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else if err := a.printReport(report); err != nil {
		return err
	}
	if !report.Usable {
		return evaluatorError{fmt.Errorf("kernels cannot be judged on this machine yet: see what is missing above")}
	}
	return nil
}

func (a *app) printReport(r doctorReport) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Status, f.Name, f.Detail)
		if f.Remedy != "" {
			fmt.Fprintf(table, "\t\t-> %s\n", f.Remedy)
		}
	}
	if r.Bench != nil {
		fmt.Fprintf(table, "\nmeasured on %s\n%s", r.Bench.Device, r.Bench.text())
	}
	return table.Flush()
}

// examine looks at everything an evaluation and a session need.
func (a *app) examine(ctx context.Context, offline bool) []finding {
	findings := []finding{
		{Name: "hone", Status: "ok", Detail: fmt.Sprintf("%s, %s/%s, %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())},
		{Name: "cores", Status: "ok", Detail: fmt.Sprint(runtime.NumCPU())},
	}
	python := make(chan finding, 1)
	go func() { python <- a.examineTorch(ctx) }() // importing torch takes seconds
	findings = append(findings, a.examineEmulation(ctx)...)
	findings = append(findings, examineGPU(ctx)...)
	findings = append(findings, a.examineJudge(ctx), <-python)
	findings = append(findings, a.examineFolder("record", a.config.Runs), a.examineFolder("cache", a.config.Cache))
	return append(findings, a.examineModel(ctx, offline), a.examineEditor())
}

// examineEmulation builds the emulator, starts one and asks what contains it.
func (a *app) examineEmulation(ctx context.Context) []finding {
	tools, err := emulate.Prepare(ctx, filepath.Join(a.config.Cache, "emulator"))
	if err != nil {
		return []finding{{Name: "CPU emulation", Status: "missing", Detail: err.Error(), Needed: true,
			Remedy: "install g++ (Debian and Ubuntu: apt install g++; macOS: xcode-select --install)"}}
	}
	findings := []finding{
		{Name: "g++", Status: "ok", Detail: compilerVersion(ctx, tools.GXX), Needed: true},
		{Name: "CPU emulation", Status: "ok", Detail: "built", Needed: true},
	}
	layers, err := probeWorker(ctx, tools.Emulator)
	if err != nil {
		return append(findings, finding{Name: "sandbox", Status: "missing", Detail: err.Error(), Needed: true,
			Remedy: "a worker process could not be started: see the message"})
	}
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		status := "ok"
		if layers[name] != "on" {
			status = "off"
		}
		findings = append(findings, finding{Name: "sandbox: " + name, Status: status, Detail: layers[name]})
	}
	return findings
}

// examineTorch looks for a Python with torch, which only answers and tasks written
// for PyTorch need.
func (a *app) examineTorch(ctx context.Context) finding {
	found, err := torch.Find(ctx, a.config.pythons())
	if err != nil {
		return finding{Name: "PyTorch", Status: "off", Detail: "no Python with torch: answers written for PyTorch cannot be judged",
			Remedy: "pip install torch, or apt install python3-torch; name another Python with HONE_PYTHON"}
	}
	detail := fmt.Sprintf("%s, Python %s at %s", found.Torch, found.PythonVersion, found.Python)
	if len(found.Includes) == 0 {
		return finding{Name: "PyTorch", Status: "off", Detail: detail + ", without its C++ headers: load_inline cannot be built",
			Remedy: "install torch from PyPI, or your distribution's libtorch-dev"}
	}
	return finding{Name: "PyTorch", Status: "ok", Detail: detail}
}

// judgeLimit is how long a judge may take to get ready: it may build its tools.
const judgeLimit = time.Minute

// examineJudge asks the judge what it judges on, and why not on a GPU.
func (a *app) examineJudge(ctx context.Context) finding {
	ctx, cancel := context.WithTimeout(ctx, judgeLimit)
	defer cancel()
	f := finding{Name: "judging", Status: "ok", Needed: true}
	evaluator, err := a.evaluator()
	if err == nil {
		defer evaluator.Close()
		var machine gpu.Machine
		if machine, err = evaluator.Machine(ctx, gpu.CUDA); err == nil {
			f.Detail, f.Remedy = judgingOn(machine)
			return f
		}
	}
	f.Status, f.Detail, f.Remedy = "missing", err.Error(), "see the lines above"
	if a.config.Device != judge.DeviceAuto {
		f.Remedy += fmt.Sprintf("; device is %q, and auto takes what there is", a.config.Device)
	}
	return f
}

// judgingOn is what kernels are judged on, in words, and what a GPU would need.
func judgingOn(m gpu.Machine) (detail, remedy string) {
	const meaning = "by CPU emulation, whose times say nothing about a GPU"
	switch {
	case !m.Emulated:
		return "on " + m.Device, ""
	case m.Reason == "":
		return meaning + "; it was asked for", ""
	}
	return meaning, "for a GPU: " + m.Reason
}

// compilerVersion is the compiler's own first line, and where it lies.
func compilerVersion(ctx context.Context, path string) string {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return path
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first + ", " + path
}

// probeWorker starts a worker and asks which layers of containment it has.
func probeWorker(ctx context.Context, emulator string) (map[string]string, error) {
	process, err := worker.Start(ctx, worker.Config{Emulator: emulator})
	if err != nil {
		return nil, err
	}
	return process.Layers(), process.Close()
}

func (a *app) examineFolder(name, dir string) finding {
	f := finding{Name: name, Status: "ok", Detail: dir}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-*"); err == nil {
			probe.Close()
			err = os.Remove(probe.Name())
		}
	}
	if err != nil {
		f.Status, f.Detail = "missing", err.Error()
		f.Remedy = fmt.Sprintf("choose another folder with --%s or in config.toml", map[string]string{"record": "runs", "cache": "cache"}[name])
	}
	return f
}

func (a *app) examineModel(ctx context.Context, offline bool) finding {
	name := a.config.Profile
	if name == "" || name == demoProfile {
		return finding{Name: "model", Status: "ok", Detail: "the built-in scripted model",
			Remedy: "for a real one set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY, or add a profile to " + configPath()}
	}
	p := a.config.Models[name]
	f := finding{Name: "model", Status: "ok", Detail: fmt.Sprintf("%s at %s", p.Model, endpointHost(p.BaseURL))}
	if p.APIKeyEnv != "" && a.environment(p.APIKeyEnv) == "" {
		f.Detail += "; " + p.APIKeyEnv + " is not set"
	}
	if offline {
		return f
	}
	if err := reach(ctx, p.BaseURL); err != nil {
		f.Status, f.Detail, f.Remedy = "missing", f.Detail+": "+err.Error(), "start the server, or correct base_url"
	}
	return f
}

// reach asks whether anything answers at an endpoint; any HTTP answer will do.
func reach(ctx context.Context, baseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(baseURL, "/")+"/models", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no answer from %s", endpointHost(baseURL))
	}
	return resp.Body.Close()
}

func (a *app) examineEditor() finding {
	words := a.editor()
	if len(words) == 0 {
		return finding{Name: "editor", Status: "missing", Detail: "none found", Remedy: "set VISUAL or EDITOR"}
	}
	return finding{Name: "editor", Status: "ok", Detail: strings.Join(words, " ")}
}
