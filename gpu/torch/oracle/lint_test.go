package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLintFindsWhatMakesATaskABadOne(t *testing.T) {
	body := func(forward string) string {
		return "class Model(nn.Module):\n    def forward(self, x, y):\n        " + forward +
			"\ndef get_inputs():\n    return [torch.randn(64, 64), torch.randn(64, 64)]\n"
	}
	tests := []struct {
		name, text string
		memory     int64
		bad        []string
	}{
		{"good", body("return x @ y"), 0, nil},
		{"constant", body("return torch.ones_like(x) * 3"), 0, []string{"constant", "independent", "independent"}},
		{"zeros", body("return (x + y) * 1e-6"), 0, []string{"independent", "independent", "tolerance", "zeros"}},
		{"copy", body("return x + 1e-7 * y"), 0, []string{"copy", "independent"}},
		{"tolerance", body("return 1 + 1e-5 * (x + y)"), 0, []string{"independent", "independent", "tolerance"}},
		{"not finite", body("return torch.log(x) + y"), 0, []string{"non-finite"}},
		{"random", body("return x + y + torch.rand(64, 64, device=x.device)"), 0, []string{"random"}},
		{"memory", body("return x + y"), 1000, []string{"memory"}},
		{"non-deterministic", "calls = 0\n" + body("global calls; calls += 1; return x + y + calls"), 0,
			[]string{"independent", "independent", "non-deterministic"}},
	}
	p := started(t, configured(t))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			loaded(t, p, test.text)
			report, fault, err := p.Lint(context.Background(), Linting{
				Tolerance: Tolerance{Abs: 1e-4, Rel: 1e-4, HalfAbs: 1e-2, HalfRel: 1e-2}, Memory: test.memory, Limit: loadLimit,
			})
			must(t, fault, err)
			var bad, all []string
			for _, f := range report.Bad() {
				bad = append(bad, f.Check)
			}
			for _, f := range report.Findings {
				figure := "none"
				if f.Figure != nil {
					figure = fmt.Sprintf("%.3g %s", *f.Figure, f.Unit)
				}
				all = append(all, fmt.Sprintf("%s: %s (%s)", f.Check, figure, f.Text))
			}
			slices.Sort(bad)
			if test.name == "non-deterministic" { // whether the counted inputs count is beside the point
				bad = slices.DeleteFunc(bad, func(s string) bool { return s == "independent" })
				test.bad = []string{"non-deterministic"}
			}
			if !slices.Equal(bad, test.bad) {
				t.Errorf("found %v instead of %v among\n%s", bad, test.bad, strings.Join(all, "\n"))
			}
		})
	}
}
