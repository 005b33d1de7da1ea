package code

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// chroma knows no CUDA. Registering it also teaches glamour the fences that
// models write.
func init() { lexers.Register(newCUDALexer()) }

// cudaLexer is chroma's C++ lexer with the words and launches of CUDA.
type cudaLexer struct {
	chroma.Lexer
	config *chroma.Config
}

func newCUDALexer() chroma.Lexer {
	words := cudaWords()
	remap := func(t chroma.Token) []chroma.Token {
		if t.Type == chroma.Name || t.Type == chroma.NameFunction {
			if kind, ok := words[t.Value]; ok {
				t.Type = kind
			}
		}
		return []chroma.Token{t}
	}
	return &cudaLexer{
		Lexer: launches(chroma.RemappingLexer(chroma.Coalesce(lexers.Get("c++")), remap)),
		config: &chroma.Config{
			Name: "CUDA", Aliases: []string{"cuda", "cu", "hip"},
			Filenames: []string{"*.cu", "*.cuh", "*.hip"}, EnsureNL: true,
		},
	}
}

// Config describes CUDA, not the C++ below it.
func (l *cudaLexer) Config() *chroma.Config { return l.config }

// launches makes one token of the brackets of a kernel launch, which C++ sees
// as a run of comparisons and shifts.
func launches(lexer chroma.Lexer) chroma.Lexer {
	return chroma.RemappingLexer(lexer, func(t chroma.Token) []chroma.Token {
		if t.Type != chroma.Operator && t.Type != chroma.Punctuation {
			return []chroma.Token{t}
		}
		var tokens []chroma.Token
		for rest := t.Value; rest != ""; {
			at := strings.Index(rest, "<<<")
			if end := strings.Index(rest, ">>>"); at < 0 || end >= 0 && end < at {
				at = end
			}
			if at < 0 {
				return append(tokens, chroma.Token{Type: t.Type, Value: rest})
			}
			if at > 0 {
				tokens = append(tokens, chroma.Token{Type: t.Type, Value: rest[:at]})
			}
			tokens = append(tokens, chroma.Token{Type: chroma.OperatorWord, Value: rest[at : at+3]})
			rest = rest[at+3:]
		}
		return tokens
	})
}

// cudaWords lists what CUDA adds to C++ and how it is coloured.
func cudaWords() map[string]chroma.TokenType {
	words := map[string]chroma.TokenType{}
	add := func(kind chroma.TokenType, list string) {
		for word := range strings.FieldsSeq(list) {
			words[word] = kind
		}
	}
	add(chroma.KeywordDeclaration, `__global__ __device__ __host__ __shared__ __constant__ __managed__
		__restrict__ __forceinline__ __noinline__ __launch_bounds__ __grid_constant__ __cluster_dims__ __align__`)
	add(chroma.KeywordType, `dim3 half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 nv_bfloat16 nv_bfloat162
		__nv_fp8_e4m3 __nv_fp8_e5m2 cudaStream_t cudaEvent_t cudaError_t cudaDeviceProp
		size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uint uchar ushort ulong`)
	for _, base := range strings.Fields("char uchar short ushort int uint long ulong longlong ulonglong float double") {
		for _, lanes := range strings.Fields("1 2 3 4") {
			words[base+lanes] = chroma.KeywordType
		}
	}
	add(chroma.NameBuiltin, `threadIdx blockIdx blockDim gridDim warpSize clock64
		__syncthreads __syncthreads_and __syncthreads_or __syncthreads_count __syncwarp
		__threadfence __threadfence_block __threadfence_system
		__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync
		__activemask __match_any_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync
		atomicAdd atomicSub atomicExch atomicMin atomicMax atomicAnd atomicOr atomicXor atomicCAS atomicInc atomicDec
		__ldg __ldcg __ldcs __stcg __stcs __popc __clz __ffs __brev __fmaf_rn __fdividef __expf __logf __sinf __cosf
		__powf __frcp_rn __frsqrt_rn __float2half __half2float __hadd __hmul __hfma __hadd2 __hmul2 __hfma2
		__float2half2_rn __float22half2_rn __half22float2 __low2float __high2float __float2bfloat16 __bfloat162float
		rsqrtf fmaf fmaxf fminf expf logf tanhf erff sqrtf fabsf make_float2 make_float4 make_int2 make_int4
		cudaMalloc cudaMallocAsync cudaFree cudaFreeAsync cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync
		cudaGetLastError cudaDeviceSynchronize cudaStreamSynchronize cudaFuncSetAttribute`)
	return words
}
