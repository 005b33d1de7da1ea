package compile

import (
	"sort"
	"strings"
)

// rule tells by its name what the CPU emulation cannot run.
type rule struct {
	construct string
	words     []string // identifiers; one that ends in "*" is a prefix, in "::" a qualifier
	headers   []string // prefixes of included names
}

// unsupportedRules lists what only a GPU can run, or only libraries that the
// emulation has no equivalent of.
func unsupportedRules() []rule {
	return append(libraryRules(), []rule{
		{"tensor cores (wmma)", []string{"nvcuda", "wmma::"}, []string{"mma.h", "crt/mma"}},
		{"tensor cores (mma)", []string{"__mma_*", "__wmma_*", "__wgmma_*"}, nil},
		{"asynchronous copies (cp.async)",
			[]string{"__pipeline_*", "memcpy_async"},
			[]string{"cuda_pipeline", "cuda/pipeline", "cooperative_groups/memcpy_async"}},
		{"asynchronous barriers (mbarrier)", []string{"__mbarrier_*"}, []string{"cuda_awbarrier", "cuda/barrier"}},
		{"bulk copies (TMA)", []string{"CUtensorMap*", "cuTensorMap*", "cp_async_bulk*"}, []string{"cudaTypedefs.h"}},
		{"textures",
			[]string{"tex1D*", "tex2D*", "tex3D*", "texCubemap*", "cudaTextureObject_t", "cudaBindTexture*",
				"cudaCreateTextureObject", "cudaTextureDesc"},
			[]string{"texture_"}},
		{"surfaces",
			[]string{"surf1D*", "surf2D*", "surf3D*", "surfCubemap*", "cudaSurfaceObject_t", "cudaCreateSurfaceObject"},
			[]string{"surface_"}},
		{"grid-wide synchronisation (cooperative launch)",
			[]string{"this_grid", "grid_group", "this_multi_grid", "cudaLaunchCooperativeKernel*"}, nil},
		{"thread block clusters",
			[]string{"this_cluster", "cluster_group", "__cluster_*", "__cluster_dims__", "map_shared_rank"}, nil},
		{"launches by API call",
			[]string{"cudaLaunchKernel", "cudaLaunchKernelEx*", "cuLaunchKernel*", "cuModuleLoad*"}, nil},
		{"CUDA graphs", []string{"cudaGraph*", "cudaStreamBeginCapture*"}, nil},
		{"8-bit and smaller floats", []string{"__nv_fp8_*", "__nv_fp8x*", "__nv_fp6_*", "__nv_fp4_*"},
			[]string{"cuda_fp8", "cuda_fp6", "cuda_fp4"}},
		{"addresses of shared memory for PTX", []string{"__cvta_generic_to_shared"}, nil},
		{"libcu++", []string{"cuda::"}, []string{"cuda/", "nv/"}},
	}...)
}

// libraryRules lists the libraries that only nvcc and a GPU can use.
func libraryRules() []rule {
	return []rule{
		{"cuBLAS", []string{"cublas*"}, []string{"cublas"}},
		{"cuDNN", []string{"cudnn*"}, []string{"cudnn"}},
		{"cuFFT", []string{"cufft*"}, []string{"cufft"}},
		{"cuRAND", []string{"curand*"}, []string{"curand"}},
		{"cuSPARSE", []string{"cusparse*"}, []string{"cusparse"}},
		{"cuSOLVER", []string{"cusolver*"}, []string{"cusolver"}},
		{"CUB", []string{"cub::"}, []string{"cub/"}},
		{"Thrust", []string{"thrust::"}, []string{"thrust/"}},
		{"CUTLASS", []string{"cutlass::", "cute::"}, []string{"cutlass/", "cute/"}},
		{"PyTorch headers", []string{"torch::", "at::", "c10::"}, []string{"torch/", "ATen/", "c10/"}},
	}
}

// findUnsupported lists each construct once, where it first occurs.
func findUnsupported(f File) []Construct {
	u := unsupported{file: f, first: map[string]int{}}
	index := indexRules(unsupportedRules())
	for _, inc := range f.source.includes {
		u.add(index.header(inc.name), inc.at.line)
	}
	u.words(f.source.code, index)
	for _, m := range f.source.macros {
		u.words(m.body, index)
	}
	u.launches()
	u.shared()
	return u.list()
}

// ruleIndex finds a rule's construct by word or header.
type ruleIndex struct {
	exact    map[string]string
	prefixes []rule // of one word each, without the "*"
	headers  []rule // of one header each
}

func indexRules(rules []rule) ruleIndex {
	x := ruleIndex{exact: map[string]string{}}
	for _, r := range rules {
		for _, w := range r.words {
			if prefix, ok := strings.CutSuffix(w, "*"); ok {
				x.prefixes = append(x.prefixes, rule{construct: r.construct, words: []string{prefix}})
			} else {
				x.exact[w] = r.construct
			}
		}
		for _, h := range r.headers {
			x.headers = append(x.headers, rule{construct: r.construct, headers: []string{h}})
		}
	}
	return x
}

func (x ruleIndex) header(name string) string {
	for _, r := range x.headers {
		if strings.HasPrefix(name, r.headers[0]) {
			return r.construct
		}
	}
	return ""
}

func (x ruleIndex) word(word string, qualifies bool) string {
	if c, ok := x.exact[word]; ok {
		return c
	}
	if c, ok := x.exact[word+"::"]; ok && qualifies {
		return c
	}
	for _, r := range x.prefixes {
		if strings.HasPrefix(word, r.words[0]) {
			return r.construct
		}
	}
	return ""
}

// unsupported collects constructs by name.
type unsupported struct {
	file  File
	first map[string]int // construct -> line
}

func (u *unsupported) add(construct string, line int) {
	if at, seen := u.first[construct]; construct != "" && (!seen || line < at) {
		u.first[construct] = line
	}
}

func (u *unsupported) words(tokens []token, index ruleIndex) {
	for i, t := range tokens {
		if t.kind != ident {
			continue
		}
		next := i+1 < len(tokens) && tokens[i+1].is("::")
		u.add(index.word(t.text, next), t.line)
		switch t.text {
		case "asm", "__asm__", "__asm":
			if !emptyAssembly(tokens[i+1:]) {
				u.add("inline PTX (asm)", t.line)
			}
		case "texture", "surface":
			if i+1 < len(tokens) && tokens[i+1].is("<") {
				u.add(t.text+"s", t.line)
			}
		}
	}
}

// emptyAssembly reports whether an asm has no instructions: a compiler barrier.
func emptyAssembly(rest []token) bool {
	for len(rest) > 0 && (rest[0].kind == ident || rest[0].is("(")) {
		rest = rest[1:]
	}
	return len(rest) > 1 && rest[0].text == `""` && rest[1].kind != stringLiteral
}

// launches finds dynamic parallelism.
func (u *unsupported) launches() {
	for _, l := range u.file.Launches {
		fn := u.file.enclosing(l.site.index)
		if fn != nil && fn.device {
			u.add("launches from a kernel (dynamic parallelism)", l.Line)
		}
	}
}

// shared finds __shared__ where the emulation cannot place it: outside of a
// function, or hidden in a macro that stands for the word alone.
func (u *unsupported) shared() {
	placed := map[int]bool{}
	for _, d := range u.file.shared {
		placed[d.word.offset] = true
		if d.macro == nil && u.file.enclosing(d.index) == nil {
			u.add("__shared__ outside of a function", d.first.line)
		}
	}
	for _, m := range u.file.source.macros {
		for _, t := range m.body {
			if t.is("__shared__") && !placed[t.offset] {
				u.add("__shared__ behind the macro "+m.name, t.line)
			}
		}
	}
}

func (u *unsupported) list() []Construct {
	list := make([]Construct, 0, len(u.first))
	for name, line := range u.first {
		list = append(list, Construct{name, line})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Line != list[j].Line {
			return list[i].Line < list[j].Line
		}
		return list[i].Name < list[j].Name
	})
	return list
}
