package tasks

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/hone/tasks/spelling"
)

// manifest is the form of task.toml.
type manifest struct {
	Title     string                      `toml:"title"`
	Level     int                         `toml:"level"`
	Flops     string                      `toml:"flops"`
	Dims      []string                    `toml:"dims"`
	Tolerance *tolerance                  `toml:"tolerance"`
	Sizes     map[string]map[string]int64 `toml:"sizes"`
	Inputs    []tensor                    `toml:"input"`
	Outputs   []tensor                    `toml:"output"`
}

type tolerance struct {
	Abs float64 `toml:"abs"`
	Rel float64 `toml:"rel"`
}

type tensor struct {
	Name  string   `toml:"name"`
	DType DType    `toml:"dtype"`
	Shape []string `toml:"shape"`
	Fill  fill     `toml:"fill"`
}

// fill is written as a call: "normal(0, 1)", "uniform(-1, 1)", "integers(0, 10)".
type fill Fill

// manifestKeys are the keys of task.toml, for suggestions.
func manifestKeys() []string {
	return []string{
		"title", "level", "flops", "dims", "tolerance", "abs", "rel", "sizes",
		"input", "output", "name", "dtype", "shape", "fill",
	}
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *fill) UnmarshalText(text []byte) error {
	call := regexp.MustCompile(`^(\w+)\(([^,()]+),([^,()]+)\)$`).FindStringSubmatch(string(text))
	if call == nil {
		return fmt.Errorf("fill %q: want a form such as \"normal(0, 1)\"", text)
	}
	kinds := []string{"normal", "uniform", "integers"}
	if !slices.Contains(kinds, call[1]) {
		return fmt.Errorf("unknown fill %q%s (one of: %s)", call[1], spelling.DidYouMean(call[1], kinds), strings.Join(kinds, ", "))
	}
	low, errLow := strconv.ParseFloat(strings.TrimSpace(call[2]), 64)
	high, errHigh := strconv.ParseFloat(strings.TrimSpace(call[3]), 64)
	if errLow != nil || errHigh != nil || math.IsInf(low-high, 0) || math.IsNaN(low-high) {
		return fmt.Errorf("fill %q: want two numbers", text)
	}
	if call[1] == "normal" && high <= 0 || call[1] != "normal" && high <= low {
		return fmt.Errorf("fill %q: the range is empty", text)
	}
	*f = fill{Kind: call[1], Low: low, High: high}
	return nil
}

// applyManifest fills the task from the text of its task.toml.
func (t *Task) applyManifest(text string) []Problem {
	var m manifest
	decoder := toml.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return tomlProblems(err)
	}
	lines := keyLines(text)
	t.Title, t.Level, t.Flops = m.Title, m.Level, m.Flops
	t.Signature = Signature{Inputs: tensors(m.Inputs), Outputs: tensors(m.Outputs), Dims: m.Dims}
	t.Sizes = sizeSets(m.Sizes, lines)
	t.Tolerance = DefaultTolerance(t.Signature.Outputs)
	if m.Tolerance != nil {
		t.Tolerance = Tolerance(*m.Tolerance)
	}
	v := validator{task: *t, lines: lines}
	return v.validate()
}

// tomlProblems turns an error of the TOML library into problems with lines.
func tomlProblems(err error) []Problem {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) {
		problems := make([]Problem, len(missing.Errors))
		for i := range missing.Errors {
			line, _ := missing.Errors[i].Position()
			key := missing.Errors[i].Key()
			name := key[len(key)-1]
			problems[i] = Problem{Line: line, Text: fmt.Sprintf("unknown key %q%s", name, spelling.DidYouMean(name, manifestKeys()))}
		}
		return problems
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return []Problem{{Line: line, Text: strings.TrimPrefix(wrong.Error(), "toml: ")}}
	}
	return []Problem{{Text: strings.TrimPrefix(err.Error(), "toml: ")}}
}

func tensors(entries []tensor) []Tensor {
	var all []Tensor
	for _, e := range entries {
		all = append(all, Tensor{Name: e.Name, DType: e.DType, Shape: e.Shape, Fill: Fill(e.Fill)})
	}
	return all
}

// sizeSets puts "small" and "full" first and leaves the rest as in the file.
func sizeSets(sizes map[string]map[string]int64, lines map[string]int) []SizeSet {
	var all []SizeSet
	for name, values := range sizes {
		all = append(all, SizeSet{Name: name, Values: values})
	}
	rank := func(s SizeSet) int {
		switch s.Name {
		case "small":
			return -2
		case "full":
			return -1
		}
		return lines["sizes."+s.Name]
	}
	sort.Slice(all, func(i, j int) bool {
		if a, b := rank(all[i]), rank(all[j]); a != b {
			return a < b
		}
		return all[i].Name < all[j].Name
	})
	return all
}

// DefaultTolerance follows the coarsest output type: KernelBench's 1e-4 for
// float32, 1e-2 for the half types.
func DefaultTolerance(outputs []Tensor) Tolerance {
	bound := 1e-4
	for _, out := range outputs {
		if out.DType == Float16 || out.DType == BFloat16 {
			bound = 1e-2
		}
	}
	return Tolerance{Abs: bound, Rel: bound}
}
