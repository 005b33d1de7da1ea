package tasks

import "testing"

func TestCName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		taken []string
		want  string
	}{
		"an identifier":       {"x", nil, "x"},
		"a parameter":         {"layers.0.weight", nil, "layers_0_weight"},
		"within a list":       {"xs[0]", nil, "xs_0"},
		"within a dict":       {"batch['key']", nil, "batch_key"},
		"a digit first":       {"0", nil, "t0"},
		"nothing of C":        {"[]", nil, "t"},
		"another alphabet":    {"größe", nil, "gr_e"},
		"reserved":            {"float", nil, "float_"},
		"solve's own":         {"stream", nil, "stream_"},
		"taken":               {"fc.weight", []string{"fc_weight"}, "fc_weight_2"},
		"taken twice":         {"x", []string{"x", "x_2"}, "x_3"},
		"reserved and taken":  {"int", []string{"int_"}, "int__2"},
		"an underscore first": {"_x", nil, "_x"},
	} {
		if got := CName(c.text, c.taken); got != c.want {
			t.Errorf("%s: CName(%q, %v) = %q, want %q", name, c.text, c.taken, got, c.want)
		}
	}
}
