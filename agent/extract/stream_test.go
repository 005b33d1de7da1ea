package extract

import (
	"strings"
	"testing"
)

// A viewer that follows the pieces sees what the result holds.
func TestStreamShowsCodeAsItArrives(t *testing.T) {
	t.Parallel()
	var s Stream
	var shown []Piece
	for _, delta := range []string{"Here", ":\n\n``", "`cu", "da\nint", " a;\n`", "x\n``", "`\nDone"} {
		shown = append(shown, s.Write(false, delta)...)
	}
	want := []Piece{
		{Kind: Prose, Text: "Here"}, {Kind: Prose, Text: ":\n"}, {Kind: Prose, Text: "\n"},
		{Kind: Code, Block: 1, Language: "cuda"},
		{Kind: Code, Block: 1, Language: "cuda", Text: "int"},
		{Kind: Code, Block: 1, Language: "cuda", Text: " a;\n"},
		{Kind: Code, Block: 1, Language: "cuda", Text: "`x\n"},
		{Kind: Prose, Text: "Done"},
	}
	if len(shown) != len(want) {
		t.Fatalf("pieces %+v", shown)
	}
	for i := range want {
		if shown[i] != want[i] {
			t.Errorf("piece %d: %+v, want %+v", i, shown[i], want[i])
		}
	}
	if got := s.Close("stop", false); got.Kernel != "int a;\n`x\n" || got.Summary != "Done" {
		t.Errorf("result %+v", got)
	}
}

func TestStreamRestartsAtALateClosingTag(t *testing.T) {
	t.Parallel()
	var s Stream
	var kinds []Kind
	for _, delta := range []string{"Okay", " so</th", "ink>\n", "\nText"} {
		for _, p := range s.Write(false, delta) {
			kinds = append(kinds, p.Kind)
		}
	}
	want := []Kind{Prose, Prose, Restart, Prose}
	if len(kinds) != len(want) || kinds[2] != Restart {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if got := s.Close("stop", false); got.Thought != "Okay so" || got.Summary != "Text" {
		t.Errorf("result %+v", got)
	}
}

func TestReasoningAfterContentKeepsTheOrder(t *testing.T) {
	t.Parallel()
	var s Stream
	s.Write(false, "<thi")
	s.Write(true, "late")
	s.Write(false, "s</think>")
	if got := s.Close("stop", false); got.Summary != "<this</think>" || got.Thought != "late" {
		t.Errorf("result %+v", got)
	}
}

func TestSettled(t *testing.T) {
	t.Parallel()
	const kernel = "void solve() {}\n"
	for _, tt := range []struct {
		name   string
		torch  bool
		deltas []string
		want   []string // after each delta, "" for not yet
	}{
		{"when its block closes", false, []string{"```cuda\n", kernel, "```", "\n", "What it does."}, []string{"", "", "", kernel, ""}},
		{"in one delta", false, []string{block("cuda", kernel) + "What"}, []string{kernel}},
		{"not a block that defines nothing", false, []string{block("cuda", "int a;\n"), block("cuda", kernel)}, []string{"", kernel}},
		{"the first of several", false, []string{block("cuda", kernel) + block("cuda", "void solve() { }\n")}, []string{kernel}},
		{"not before a block has closed", false, []string{"```cuda\n" + kernel}, []string{""}},
		{"not in a thought", false, []string{"<think>\n" + block("cuda", kernel), "</think>\n" + block("cuda", kernel)}, []string{"", kernel}},
		{"again after a thought that ends late", false, []string{block("cuda", kernel), "</think>\n", block("cuda", "void solve() { }\n")}, []string{kernel, "", "void solve() { }\n"}},
		{"a class for PyTorch", true, []string{block("python", "class ModelNew(nn.Module): pass\n")}, []string{"class ModelNew(nn.Module): pass\n"}},
		{"not what is too large to judge", false, []string{block("cuda", kernel+strings.Repeat("// x\n", maxKernel/5))}, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Stream{Torch: tt.torch}
			for i, delta := range tt.deltas {
				s.Write(false, delta)
				if got, ok := s.Settled(); ok != (tt.want[i] != "") || ok && got != tt.want[i] {
					t.Errorf("after delta %d: %.60q, %t; want %q", i, got, ok, tt.want[i])
				}
			}
		})
	}
}

// FuzzStream holds the pieces and the result of a reply that comes in any
// chunks against those of the whole reply.
func FuzzStream(f *testing.F) {
	f.Add("", "Here:\n```cuda\nvoid solve() {}\n```\nDone.", "stop", uint8(3))
	f.Add("", "<think>a\n```\nb\n```\n</think>\r\n\r\n~~~\r\nx\r\n~~~\r\n", "stop", uint8(1))
	f.Add("", "a </think> b </think>\n  ````c\n ```\n  ````", "", uint8(2))
	f.Add("thought", "\r\r\n```\r", "length", uint8(1))
	f.Add("", "x ```cuda\nvoid solve() {}``` y ```\n```", "", uint8(4))
	f.Add("", strings.Repeat(" ", 300)+"<think>x</think>```", "stop", uint8(7))
	f.Add("", strings.Repeat("```\nx\n```\n", maxBlocks+1)+"text", "stop", uint8(8))
	f.Add("", "```"+strings.Repeat("y", 300)+"\nz\n```\n", "stop", uint8(5))
	f.Fuzz(func(t *testing.T, reasoning, content, finish string, size uint8) {
		var s Stream
		v := viewer{blocks: map[int]string{}}
		v.see(s.Write(true, reasoning))
		settled, first := "", false
		for rest := content; rest != ""; {
			n := min(len(rest), int(size)%9+1)
			if restarted := v.see(s.Write(false, rest[:n])); restarted {
				first = false
			}
			if kernel, ok := s.Settled(); ok && !first {
				settled, first = kernel, true
			}
			rest = rest[n:]
		}
		got := s.Close(finish, false)
		want := Reply(Input{Reasoning: reasoning, Content: content, FinishReason: finish})
		if !same(got, want) {
			t.Fatalf("in chunks %+v\nwhole     %+v", got, want)
		}
		if got.Kernel != "" && got.Rule != "a code block inside a line" && !v.showed(got.Kernel) {
			t.Errorf("kernel %q was not shown: %v", got.Kernel, v.blocks)
		}
		if first && got.Usable && got.Kernel != settled {
			t.Errorf("kernel %q, but %q was settled", got.Kernel, settled)
		}
		if got.Usable && (got.Kernel == "" || got.Truncated || finish == "length") {
			t.Errorf("usable without a whole kernel: %+v", got)
		}
	})
}

// viewer follows pieces as a screen does.
type viewer struct{ blocks map[int]string }

func (v *viewer) see(pieces []Piece) (restarted bool) {
	for _, p := range pieces {
		switch p.Kind {
		case Code:
			v.blocks[p.Block] += p.Text
		case Restart:
			clear(v.blocks)
			restarted = true
		}
	}
	return restarted
}

// showed allows for a last line that was still held back.
func (v *viewer) showed(kernel string) bool {
	for _, text := range v.blocks {
		if rest, ok := strings.CutPrefix(kernel, text); ok && len(rest) <= maxFenceLine+1 && !strings.Contains(rest, "\n") {
			return true
		}
	}
	return false
}

func BenchmarkStream(b *testing.B) {
	reply := "Text before.\n```cuda\n" + strings.Repeat("    out[i] = 2.0f * x[i] + y[i]; // a line of code\n", 3000) + "```\nDone.\n"
	b.SetBytes(int64(len(reply)))
	for b.Loop() {
		var s Stream
		for rest := reply; rest != ""; {
			n := min(len(rest), 4)
			s.Write(false, rest[:n])
			rest = rest[n:]
		}
		s.Close("stop", false)
	}
}
