package rules

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

func TestSetsAreNamed(t *testing.T) {
	t.Parallel()
	for _, s := range Sets() {
		found, err := Find(s.Name)
		if err != nil || found.Title == "" || len(found.Rules) != len(s.Rules) {
			t.Errorf("%s: found %+v, %v", s.Name, found, err)
		}
		seen := map[string]bool{}
		for _, r := range s.Rules {
			if seen[r.Name] || r.Title == "" || r.Why == "" || r.python == nil && r.cpp == nil && r.whole == nil {
				t.Errorf("%s: rule %+v is a duplicate or incomplete", s.Name, r)
			}
			seen[r.Name] = true
		}
	}
	if _, err := Find("kevn"); err == nil || !strings.Contains(err.Error(), `did you mean "kevin"? (there are: kevin, kernelbench, open)`) {
		t.Errorf("got %v", err)
	}
}

func TestTidyKeepsOneOfEachLine(t *testing.T) {
	t.Parallel()
	var all []Violation
	for i := range 2 * MostViolations {
		all = append(all, Violation{Rule: "a", Line: 100 - i, Why: "x"}, Violation{Rule: "a", Line: 100 - i, Why: "y"})
	}
	kept := tidy(all)
	if len(kept) != MostViolations || kept[0].Line != 61 || kept[1].Line != 62 || kept[0].Why != "x" {
		t.Errorf("kept %d: %+v", len(kept), kept)
	}
}

func TestLineOf(t *testing.T) {
	t.Parallel()
	text := Text{Runs: []Run{{From: 1, Line: 10}, {From: 4, Line: 30, Fixed: true}, {From: 6, Line: 40}}}
	for line, want := range map[int]int{1: 10, 3: 12, 4: 30, 5: 30, 6: 40, 8: 42} {
		if got := text.LineOf(line); got != want {
			t.Errorf("line %d: got %d, want %d", line, got, want)
		}
	}
	if got := (Text{}).LineOf(3); got != 1 {
		t.Errorf("without runs: got %d", got)
	}
}

func TestNameLists(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"a": true, "bc": true, "b": false, "": false, "a bc": false} {
		if isOneOf(word, "a bc") != want {
			t.Errorf("%q: want %v", word, want)
		}
	}
	for name, want := range map[string]bool{"torch.hub": true, "torch.hub.load": true, "torch": false, "torch.hubs": false, "": false} {
		if inModules(name, "torch.hub x") != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}

// words is C++ whose words stand apart.
func words(text string) []Word {
	var all []Word
	for i, line := range strings.Split(text, "\n") {
		for _, w := range strings.Fields(line) {
			kind := Punctuation
			switch c := w[0]; {
			case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
				kind = Identifier
			case '0' <= c && c <= '9':
				kind = Number
			case c == '"':
				kind = Literal
			}
			directive := 0
			if strings.HasPrefix(line, "#") {
				directive = i + 1
			}
			all = append(all, Word{w, i + 1, kind, directive})
		}
	}
	return all
}

// Which kernel a launch is of.
func TestLaunches(t *testing.T) {
	t.Parallel()
	const kernel = "__global__ void k ( int * p ) { }\n"
	cases := []struct {
		name, text string
		want       bool
	}{
		{"by name", kernel + "void f ( ) { k <<< 1 > > > ( ) ; }", true},
		{"instance", kernel + "void f ( ) { k < int , 4 > <<< 1 > > > ( ) ; }", true},
		{"other", kernel + "void f ( ) { j <<< 1 > > > ( ) ; }", false},
		{"from an uncalled function", kernel + "void g ( ) { k <<< 1 > > > ( ) ; } void f ( ) { }", false},
		{"from a called one", kernel + "void g ( ) { k <<< 1 > > > ( ) ; } void f ( ) { g ( ) ; }", true},
		{"in a struct", kernel + "struct S { void g ( ) { k <<< 1 > > > ( ) ; } } ; void f ( ) { S s ; s . g ( ) ; }", true},
		{"by a macro", kernel + "# define GO k <<< 1 > > > ( )\nvoid f ( ) { GO ; }", true},
		{"by a pointer", kernel + "void f ( ) { auto p = k ; p <<< 1 > > > ( ) ; }", true},
		{"by a table", kernel + "auto table = { k } ; void f ( ) { table [ 0 ] <<< 1 > > > ( ) ; }", true},
		{"by the runtime", kernel + "void f ( ) { cudaLaunchKernel ( k , 1 , 1 ) ; }", true},
		{"asked about only", kernel + "void f ( ) { cudaFuncSetAttribute ( k , 1 ) ; j <<< 1 > > > ( ) ; }", false},
		{"mentioned only", kernel + "void f ( ) { auto p = k ; }", false},
		{"bounded", "__global__ void __launch_bounds__ ( 256 ) k ( ) { } void f ( ) { k <<< 1 > > > ( ) ; }", true},
		{"made by a macro", "# define K ( n ) __global__ void n ## _k ( ) { }\nK ( a ) void f ( ) { a_k <<< 1 > > > ( ) ; }", true},
		{"no such function", kernel + "void g ( ) { k <<< 1 > > > ( ) ; }", true},
	}
	for _, c := range cases {
		if got := newGraph([]Source{{words(c.text)}}).launches([]string{"f"}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// FuzzCheck holds that no facts and no words, however odd, bring a check down
// or make it list what has no place.
func FuzzCheck(f *testing.F) {
	f.Add(`{"uses":[{"name":"torch.mm","use":"call","line":3}],"builds":[{"functions":["f"],"sources":[{"text":"x"}]}]}`,
		"__global__ void k ( ) { } void f ( ) { k < 1 > <<< 1 > > > ( ) ; at :: mm ( a ) ; }")
	f.Add(`{"uses":[{"name":""},{"name":"."},{"name":"?."},{"name":":"},{"name":"getattr("},{"name":"build:"}]}`, "} ) > <<< ( { ; ]")
	f.Add(`{"functions":[{"name":"k","decorators":["triton.jit"]}],"classes":[{"name":"T","bases":["",".Model"]}]}`, "# define X\n__global__")
	f.Add(`null`, "at :: \ntorch\n. matmul (\nnamespace a = at ;\nextern { class X { ( <<<")
	f.Fuzz(func(t *testing.T, facts, text string) {
		for _, dialect := range []string{"torch", "cuda"} {
			a := Answer{Dialect: dialect, CUDA: []Source{{words(text)}}}
			if json.Unmarshal([]byte(facts), &a.Facts) != nil {
				return
			}
			for _, s := range Sets() {
				found := s.Check(a)
				if len(found) > MostViolations {
					t.Errorf("%d violations", len(found))
				}
				for i, v := range found {
					if v.Rule == "" || v.Why == "" || i > 0 && v.Line < found[i-1].Line {
						t.Errorf("%+v", v)
					}
				}
				s.CheckSources(a.CUDA)
			}
		}
	})
}

// A text that is made to be slow costs no more than its length.
func TestHostileTextsAreQuick(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"at :: ", "launch ( ", "a > ( ", "k < ", "k > <<< ", "{ ", "__global__ void k ( ", "struct a ", "x = ", "( "} {
		a := Answer{Dialect: "cuda", CUDA: []Source{{words("__global__ void k ( ) ; " + strings.Repeat(piece, 100_000/len(piece)))}}}
		started := time.Now()
		for _, s := range Sets() {
			s.Check(a)
		}
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("%q: %v", piece, took)
		}
	}
}

func TestEveryRuleIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Sets() {
		for _, r := range s.Rules {
			if !strings.Contains(string(text), "| `"+r.Name+"` |") {
				t.Errorf("docs/rules.md says nothing of %s", r.Name)
			}
		}
		if !strings.Contains(string(text), "| `"+s.Name+"`") {
			t.Errorf("docs/rules.md says nothing of the set %s", s.Name)
		}
	}
}
