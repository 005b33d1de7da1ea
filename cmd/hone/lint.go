package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/oracle"
	"example.com/hone/tasks"
	"example.com/hone/ui/term"
)

// lintSchema names the JSON form of a [lintReport].
const lintSchema = "hone.lint/1"

// What is known of one task after it was run.
const (
	lintFine   = "fine"   // nothing that a person should know
	lintFound  = "found"  // something that makes it a bad one to judge by
	lintFailed = "failed" // it could not be run to the end
)

// lintReport is what `hone tasks lint --json` prints.
type lintReport struct {
	Schema string    `json:"schema"`
	Python string    `json:"python"`
	Torch  string    `json:"torch"`
	Device string    `json:"device"` // "cpu" or "cuda:0"
	Tasks  []lintRow `json:"tasks"`
}

type lintRow struct {
	Task     string           `json:"task"`
	SHA256   string           `json:"task_sha256"`
	Outcome  string           `json:"outcome"`
	Why      string           `json:"why"`      // it failed
	Findings []oracle.Finding `json:"findings"` // every check, passed ones too; empty where it failed
}

// linter runs one task's reference and says what makes it a bad one. A task that
// fails is a fault; an error says that nothing can be run.
type linter interface {
	Lint(ctx context.Context, task tasks.Task) (oracle.LintReport, *process.Fault, error)
}

func (a *app) lintCommand() *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "lint [TASK...]",
		Short: "Run tasks and say what makes them bad ones to judge by",
		Long: "Run the PyTorch references of tasks and say what makes them bad ones to judge by: a constant output, one that\n" +
			"zeros or a copy of an input pass for, an input that does not matter, a tolerance wider than the output's\n" +
			"spread, too much memory, runs that differ, a runtime that is mostly the launch. Without TASK: those of every\n" +
			"--source, or the built-in ones. Needs a Python with PyTorch; references run as programs of yours.\n\n" +
			"Exit codes: 0 all fine, 3 something was found or failed, 5 no usable PyTorch.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.lint(cmd.Context(), args, limit)
		},
	}
	cmd.Flags().DurationVar(&limit, "timeout", 5*time.Minute, "limit for one task")
	return cmd
}

func (a *app) lint(ctx context.Context, queries []string, limit time.Duration) error {
	chosen, bad, err := a.lintedTasks(queries)
	if err != nil {
		return err
	}
	l, report, err := a.oracles(ctx, limit)
	if err != nil {
		return err
	}
	defer l.close()
	each := printRows(a, chosen)
	if a.flags.json {
		each = func(lintRow) {}
	}
	if report.Tasks, err = lintTasks(ctx, l, chosen, each); err != nil {
		return err
	}
	if a.flags.json {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, lintSummary(report.Tasks))
	}
	if bad > 0 || count(report.Tasks, lintFine) < len(chosen) {
		return tasksWanting{}
	}
	return nil
}

// lintedTasks are those of the queries, or else of the sources, and how many files
// of these could not be read.
func (a *app) lintedTasks(queries []string) (chosen []tasks.Task, bad int, err error) {
	if len(queries) > 0 {
		for _, q := range queries {
			t, err := a.findTask(q)
			if err != nil {
				return nil, 0, err
			}
			chosen = append(chosen, t)
		}
		return chosen, 0, nil
	}
	load := a.sourced
	if len(a.flags.sources) == 0 {
		load = a.catalog
	}
	catalog, bad, err := load()
	return catalog.All(), bad, err
}

// lintTasks runs every task in turn and shows each result as it comes.
func lintTasks(ctx context.Context, l linter, all []tasks.Task, each func(lintRow)) ([]lintRow, error) {
	rows := []lintRow{}
	for _, t := range all {
		report, fault, err := l.Lint(ctx, t)
		if ctx.Err() != nil {
			return rows, ctx.Err()
		}
		if err != nil {
			return rows, evaluatorError{fmt.Errorf("lint %s: %w", t.ID, err)}
		}
		row := lintRow{Task: t.ID, SHA256: t.SHA256, Outcome: lintFine, Findings: report.Findings}
		switch {
		case fault != nil:
			row.Outcome, row.Why, row.Findings = lintFailed, string(fault.Kind)+": "+fault.Sentence(), []oracle.Finding{}
		case len(report.Bad()) > 0:
			row.Outcome = lintFound
		}
		rows = append(rows, row)
		each(row)
	}
	return rows, nil
}

// printRows prints the head of a table, and then a row at a time: a whole source
// takes minutes.
func printRows(a *app, all []tasks.Task) func(lintRow) {
	const finding = 18
	wide := len("TASK")
	for _, t := range all {
		wide = max(wide, term.Width(t.ID))
	}
	line := func(task, what, figure string) {
		text := term.Pad(task, wide) + "  " + term.Pad(what, finding) + figure
		fmt.Fprintln(a.out, strings.TrimRight(term.Clean(text), " "))
	}
	if !a.flags.json {
		line("TASK", "FINDING", "FIGURE")
	}
	return func(row lintRow) {
		switch row.Outcome {
		case lintFine, lintFailed:
			line(row.Task, row.Outcome, row.Why)
		default:
			for _, f := range (oracle.LintReport{Findings: row.Findings}).Bad() {
				line(row.Task, f.Check, f.Text)
			}
		}
	}
}

func lintSummary(rows []lintRow) string {
	return fmt.Sprintf("%d of %d tasks are fine, %d with findings, %d failed",
		count(rows, lintFine), len(rows), count(rows, lintFound), count(rows, lintFailed))
}

func count(rows []lintRow, outcome string) int {
	n := 0
	for _, r := range rows {
		if r.Outcome == outcome {
			n++
		}
	}
	return n
}

// oracles is the linter of a Python with torch. Each task gets a process of its own,
// so that none sees what another left behind; a spare waits with torch imported.
type oracles struct {
	pool   *process.Pool[*oracle.Process]
	folder string // of the references
	limit  time.Duration
}

// oracles starts what runs references; the report is its head.
func (a *app) oracles(ctx context.Context, limit time.Duration) (*oracles, lintReport, error) {
	none := lintReport{}
	found, err := torch.Find(ctx, a.config.pythons())
	if ctx.Err() != nil {
		return nil, none, ctx.Err()
	}
	if err != nil {
		return nil, none, evaluatorError{fmt.Errorf("%w (--python, or python in config.toml, or HONE_PYTHON)", err)}
	}
	programs, err := torch.Prepare(ctx, a.config.Cache)
	if err != nil {
		return nil, none, evaluatorError{err}
	}
	folder, err := os.MkdirTemp("", "hone-lint-")
	if err != nil {
		return nil, none, evaluatorError{fmt.Errorf("make a folder for references: %w", err)}
	}
	device, name := torchDevice(a.config.Device, found.Devices)
	pool := oracle.NewPool(oracle.Config{
		Installation: found, Folder: programs, Device: device, Scratch: folder, Limit: limit,
		Environment: torchEnvironment(judgeEnvironment(a.environment)),
	}, 1)
	head := lintReport{Schema: lintSchema, Python: found.Python, Torch: found.Torch, Device: name}
	return &oracles{pool: pool, folder: folder, limit: limit}, head, nil
}

func (o *oracles) close() {
	o.pool.Close()
	_ = os.RemoveAll(o.folder) // in the system's folder for such
}

// lintFlush is the cache that KernelBench flushes before a timed call.
const lintFlush = 256 << 20

// Lint implements linter.
func (o *oracles) Lint(ctx context.Context, t tasks.Task) (oracle.LintReport, *process.Fault, error) {
	none := oracle.LintReport{}
	source := filepath.Join(o.folder, "reference.py")
	if err := os.WriteFile(source, []byte(t.Reference), 0o600); err != nil {
		return none, nil, fmt.Errorf("write the reference: %w", err)
	}
	p, err := o.pool.Take(ctx)
	if err != nil {
		return none, nil, err
	}
	defer p.Kill()
	if _, fault, err := p.Load(ctx, source, o.limit); fault != nil || err != nil {
		return none, fault, err
	}
	return p.Lint(ctx, oracle.Linting{Tolerance: lintTolerance(t), L2: lintFlush, Limit: o.limit})
}

// lintTolerance is the task's, or KernelBench's for each type.
func lintTolerance(t tasks.Task) oracle.Tolerance {
	single, half := t.Tolerance, t.Tolerance
	if t.Tolerance == (tasks.Tolerance{}) && t.Torch() {
		single = tasks.DefaultTolerance(nil)
		half = tasks.DefaultTolerance([]tasks.Tensor{{DType: tasks.Float16}})
	}
	return oracle.Tolerance{Abs: single.Abs, Rel: single.Rel, HalfAbs: half.Abs, HalfRel: half.Rel}
}

// torchDevice is where references run: on a GPU that torch can use, as far as the
// configuration allows, or on the CPU.
func torchDevice(configured string, devices int) (number int, name string) {
	switch n, err := strconv.Atoi(configured); {
	case err == nil:
		return n, "cuda:" + configured
	case configured == judge.DeviceAuto && devices > 0:
		return 0, "cuda:0"
	}
	return oracle.CPU, "cpu"
}

// torchEnvironment is what chooses GPUs and their libraries.
func torchEnvironment(env []string) []string {
	var kept []string
	for _, v := range env {
		if strings.HasPrefix(v, "CUDA_") || strings.HasPrefix(v, "NVIDIA_") || strings.HasPrefix(v, "LD_LIBRARY_PATH=") {
			kept = append(kept, v)
		}
	}
	return kept
}

// pythons are the candidates for a Python with torch, in order.
func (c *config) pythons() []string {
	if c.Python != "" {
		return []string{c.Python}
	}
	return []string{"python3", "python", "/usr/bin/python3"}
}
