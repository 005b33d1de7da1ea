package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/plain"
)

// maxKernelFile is far above any kernel a person writes; the judge has its own,
// smaller limit and gives a verdict about it.
const maxKernelFile = 64 << 20

type evalOptions struct {
	accept bool
	asked  bool // for a dialect, on the command line
}

func (a *app) evalCommand() *cobra.Command {
	var opts evalOptions
	cmd := &cobra.Command{
		Use:   "eval TASK FILE",
		Short: "Judge one kernel file: compile, check, time",
		Long: "Judge one kernel file: compile it, check its results, time it. FILE may be - for standard input. A .py file\n" +
			"is an answer for PyTorch (ModelNew), a .cu file one in CUDA C++ (solve), unless --dialect says otherwise.\n\n" +
			"Exit codes: 0 correct, 3 not correct, 2 usage, 5 no usable evaluator, 130 interrupted.",
		Example: "  hone eval softmax kernel.cu\n  hone eval builtin/l1/softmax - --json < kernel.cu",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.asked = cmd.Flags().Changed("dialect")
			return a.eval(cmd.Context(), args[0], args[1], opts)
		},
	}
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print the verdict as one JSON object (hone.verdict/1)")
	cmd.Flags().BoolVar(&opts.accept, "accept", false, "check the acceptance shapes as well")
	answerFlags(cmd)
	a.timeoutFlag(cmd)
	return cmd
}

func (a *app) eval(ctx context.Context, query, path string, opts evalOptions) error {
	task, err := a.findTask(query)
	if err != nil {
		return err
	}
	kernel, err := a.readKernel(path)
	if err != nil {
		return err
	}
	evaluator, err := a.evaluator()
	if err != nil {
		return err
	}
	defer evaluator.Close()
	dialect := a.dialectOf(task, path, opts)
	if task, err = posed(ctx, evaluator, task, dialect, a.aside()); err != nil {
		return err
	}
	verdict, err := a.config.judging(evaluator).Evaluate(ctx, gpu.Request{
		Task: task, Dialect: dialect, Kernel: kernel, Accept: opts.accept, Limits: a.limits(),
	}, func(gpu.Event) {})
	if interrupted(err) {
		return err
	}
	if err != nil {
		return evaluatorError{err}
	}
	if err := a.printVerdict(verdict, kernel); err != nil {
		return err
	}
	if !verdict.Outcome.Correct() {
		return noCorrectKernel{}
	}
	return nil
}

// dialectOf is the form of one answer: what the command line says, or else the
// file's name, or else the configuration.
func (a *app) dialectOf(task tasks.Task, path string, opts evalOptions) gpu.Dialect {
	switch ext := filepath.Ext(path); {
	case opts.asked && a.config.Dialect != dialectAuto:
	case ext == ".py":
		return gpu.Torch
	case ext == ".cu":
		return gpu.CUDA
	}
	return a.config.dialect(task)
}

func (a *app) printVerdict(v gpu.Verdict, kernel string) error {
	if a.flags.json {
		return a.printJSON(v)
	}
	_, err := io.WriteString(a.out, plain.Verdict(v, kernel))
	return err
}

// readKernel reads a kernel file, or standard input for "-".
func (a *app) readKernel(path string) (string, error) {
	if path == "-" {
		return readBounded(a.in, "kernel", path)
	}
	return readFile(path, "kernel", "a .cu or .py file, or - for standard input")
}

// readFile reads a text, named by what it is. An error says what was wanted.
func readFile(path, what, wanted string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", usageError{fmt.Sprintf("no file %s: give the path of %s", path, wanted)}
	}
	if err != nil {
		return "", usageError{fmt.Sprintf("read %s: %v", what, err)}
	}
	defer f.Close()
	return readBounded(f, what, path)
}

func readBounded(source io.Reader, what, path string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(source, maxKernelFile+1))
	if err != nil {
		return "", usageError{fmt.Sprintf("read %s: %v", what, err)}
	}
	if len(text) > maxKernelFile {
		return "", usageError{fmt.Sprintf("%s is larger than %d MB: this is no %s", path, maxKernelFile>>20, what)}
	}
	return string(text), nil
}
