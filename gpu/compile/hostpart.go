package compile

import (
	"context"
	"os"
	"path/filepath"
)

// hostFile is the host part's object.
const hostFile = "host.so"

// hostJob builds the host part with g++.
func (c *Compiler) hostJob(src Source, file File, host rewritten) partJob {
	first := `#include "` + launchHeader + `"`
	if needsStd(host.text) {
		first = "#define HONE_WITH_STD\n" + first
	}
	j := job{source: src, file: file, code: host, unit: unitWith(first, src.Unit, host.text)}
	args := c.gxx.hostArguments(src.Defines)
	inputs := append([]string{"host", c.gxx.path, c.gxx.version}, args...)
	for _, name := range headerNames() {
		inputs = append(inputs, headerText(name))
	}
	return partJob{
		name: src.Name, product: hostFile, unit: j.unit, inputs: inputs,
		build: func(ctx context.Context, folder string) (partResult, error) { return c.buildHost(ctx, j, folder, args) },
	}
}

// needsStd reports whether a host part uses something of the C++ library that
// CUDA's headers bring and C's lack.
func needsStd(text string) bool {
	tokens := withoutTrivia(lex(text))
	for i, t := range tokens {
		if t.is("std") || overloaded(t.text) && i+1 < len(tokens) && tokens[i+1].is("(") {
			return true
		}
	}
	return false
}

// overloaded lists functions of C that C++ gives to every arithmetic type.
func overloaded(word string) bool {
	switch word {
	case "abs", "ceil", "cos", "exp", "exp2", "floor", "fmax", "fmin", "fmod", "hypot", "isfinite", "isinf", "isnan",
		"log", "log10", "log2", "lround", "pow", "round", "sin", "sqrt", "tan", "tanh", "trunc":
		return true
	}
	return false
}

// hostArguments lists g++'s options for a host part. Nothing in it is hot.
func (c compiler) hostArguments(defines []string) []string {
	args := []string{
		"-std=c++17", "-pipe", "-fPIC", "-shared", "-O1", "-o", hostFile, "-I", ".",
		"-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
		"-Wno-attributes", "-Wno-ignored-attributes", "-Wno-unknown-pragmas",
	}
	args = append(args, c.dialect()...)
	if c.major() > 0 {
		args = append(args, "-fno-gnu-unique") // else the object could never be unloaded
	}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	return append(args, unitFile)
}

func (c *Compiler) buildHost(ctx context.Context, j job, folder string, args []string) (partResult, error) {
	if err := writeHeaders(folder); err != nil {
		return partResult{}, err
	}
	result, err := c.runGXX(ctx, j, folder, args)
	if err != nil || !result.ok {
		return result, err
	}
	missing := explainer{job: j}.undefined(filepath.Join(folder, hostFile), map[string]bool{})
	result.ok = len(missing) == 0
	result.entry.Diagnostics = append(missing, result.entry.Diagnostics...)
	return result, nil
}

// runGXX compiles a job's unit in a folder within the limit of its source.
func (c *Compiler) runGXX(ctx context.Context, j job, folder string, args []string) (partResult, error) {
	if err := os.WriteFile(filepath.Join(folder, unitFile), []byte(j.unit), 0o600); err != nil {
		return partResult{}, err
	}
	limited, cancel := context.WithTimeout(ctx, j.source.limit())
	defer cancel()
	r, err := c.gxx.run(limited, folder, args)
	if err != nil || ctx.Err() != nil {
		return partResult{}, firstError(ctx.Err(), err)
	}
	r.limit = j.source.limit()
	result := partResult{ok: r.ok, final: r.exited}
	result.entry.log = r.output
	result.entry.Diagnostics = explainer{job: j}.diagnostics(parseGXX(string(r.output)), r)
	return result, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func writeHeaders(folder string) error {
	for _, name := range headerNames() {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(headerText(name)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
