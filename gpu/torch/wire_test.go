package torch

import (
	"os"
	"strings"
	"testing"

	"example.com/hone/gpu/process"
)

func TestDecodeTakesOneObjectAlone(t *testing.T) {
	type answer struct {
		Count int `json:"count"`
	}
	tests := []struct {
		name  string
		lines [][]string
		says  string // empty where it is good
	}{
		{"good", [][]string{{"json", `{"count":3}`}}, ""},
		{"nothing", nil, "not one line"},
		{"another key", [][]string{{"text", `{}`}}, "not one line"},
		{"two lines", [][]string{{"json", `{}`}, {"json", `{}`}}, "not one line"},
		{"too long", [][]string{{"json", `{"count":3}` + strings.Repeat(" ", MaxJSON)}}, "not one line"},
		{"unknown member", [][]string{{"json", `{"count":3,"verdict":"good"}`}}, "verdict"},
		{"two objects", [][]string{{"json", `{"count":3}{"count":4}`}}, "more than one"},
		{"cut off", [][]string{{"json", `{"count":`}}, "bad JSON"},
		{"wrong type", [][]string{{"json", `{"count":1e99}`}}, "bad JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var a answer
			err := Decode(test.lines, &a)
			if test.says == "" {
				if err != nil || a.Count != 3 {
					t.Fatalf("got %+v, %v", a, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v does not say %q", err, test.says)
			}
		})
	}
}

func TestRequestIsOneLine(t *testing.T) {
	r, err := Request(process.Call, map[string]string{"text": "a\tb\nc"})
	if err != nil || len(r.Lines) != 1 || strings.ContainsAny(r.Lines[0][5:], "\t\n") {
		t.Errorf("got %q, %v", r.Lines, err)
	}
	if _, err := Request(process.Call, strings.Repeat("x", MaxJSON)); err == nil {
		t.Error("a request that is too long was made")
	}
}

func TestMapRequestSendsEachAllocationOnce(t *testing.T) {
	a, b := opened(t), opened(t)
	r, err := MapRequest(2,
		Group{"inputs", []Buffer{{Name: "x", Bytes: 8, Size: 64, Offset: 16, File: a, Host: true}}},
		Group{"state", []Buffer{
			{Name: "w", Bytes: 4, Size: 32, File: b, Writable: true}, {Name: "v", Bytes: 4, Size: 32, Offset: 8, File: b, Writable: true}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"set\t2", "group\tinputs", "buffer\tx\t8\tr\t64\t16\tfile\t0",
		"group\tstate", "buffer\tw\t4\tw\t32\t0\tdevice\t1", "buffer\tv\t4\tw\t32\t8\tdevice\t1"}
	if got := strings.Join(r.Lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	if len(r.Files) != 2 || r.Files[0] != a || r.Files[1] != b {
		t.Errorf("files %v", r.Files)
	}
}

func TestMapRequestRefusesWhatCannotBe(t *testing.T) {
	file := opened(t)
	many := make([]Buffer, MaxBuffers+1)
	for i := range many {
		many[i] = Buffer{Name: "x", Size: 1, File: file}
	}
	tests := []struct {
		name    string
		buffers []Buffer
		says    string
	}{
		{"no file", []Buffer{{Name: "x", Size: 1}}, "no file"},
		{"too long", []Buffer{{Name: "x", Bytes: 5, Size: 4, File: file}}, "lie outside"},
		{"behind the end", []Buffer{{Name: "x", Bytes: 4, Size: 4, Offset: 1, File: file}}, "lie outside"},
		{"a tab in its name", []Buffer{{Name: "x\ty", Size: 1, File: file}}, "a tab"},
		{"too many", many, "at most"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := MapRequest(0, Group{"inputs", test.buffers}); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v does not say %q", err, test.says)
			}
		})
	}
}

func opened(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
