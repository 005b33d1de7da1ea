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

	"example.com/hone/gpu/emulate"
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

func (a *app) doctorCommand() *cobra.Command {
	var offline bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "What was found on this machine, what is missing, and how to get it",
		Long:    "What was found on this machine, what is missing, and how to get it.\n\nExit codes: 0 kernels can be judged here, 5 they cannot.",
		Example: "  hone doctor\n  hone doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.doctor(cmd.Context(), offline)
		},
	}
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON (hone.doctor/1)")
	cmd.Flags().BoolVar(&offline, "offline", false, "do not ask the model's endpoint")
	return cmd
}

func (a *app) doctor(ctx context.Context, offline bool) error {
	findings := a.examine(ctx, offline)
	usable := true
	for _, f := range findings {
		usable = usable && (!f.Needed || f.Status == "ok")
	}
	if a.flags.json {
		if err := a.printJSON(map[string]any{"schema": "hone.doctor/1", "version": version, "usable": usable, "findings": findings}); err != nil {
			return err
		}
	} else if err := a.printFindings(findings); err != nil {
		return err
	}
	if !usable {
		return evaluatorError{fmt.Errorf("kernels cannot be judged on this machine yet: see what is missing above")}
	}
	return nil
}

func (a *app) printFindings(findings []finding) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Status, f.Name, f.Detail)
		if f.Remedy != "" {
			fmt.Fprintf(table, "\t\t-> %s\n", f.Remedy)
		}
	}
	return table.Flush()
}

// examine looks at everything an evaluation and a session need.
func (a *app) examine(ctx context.Context, offline bool) []finding {
	findings := []finding{
		{Name: "hone", Status: "ok", Detail: fmt.Sprintf("%s, %s/%s, %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())},
		{Name: "cores", Status: "ok", Detail: fmt.Sprint(runtime.NumCPU())},
	}
	findings = append(findings, a.examineEmulation(ctx)...)
	findings = append(findings, examineGPU(ctx)...)
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
		{Name: "CPU emulation", Status: "ok", Detail: "built; times are marked emulated and say nothing about a GPU", Needed: true},
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
