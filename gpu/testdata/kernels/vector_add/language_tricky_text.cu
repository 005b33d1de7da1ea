// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

/* A reader that takes text for code trips here:
   asm volatile("..."); nvcuda::wmma; __shared__ float x[32]; k<<<1, 1>>>();
*/
#define QUOTE(...) #__VA_ARGS__
// asm("bar.sync 0;"); cooperative_groups::this_grid().sync(); \
   still the same comment: __syncthreads();

__constant__ char words[] = "__global__ void fake<<<1, 2>>>() { asm(\"exit;\"); } // no comment";
const char* const raw = R"cuda(
    __global__ void other() { other<<<1, 1>>>(); }   // unbalanced: ( { [ "
)cuda";
const char* const quoted = QUOTE(k<1, 2>(3));

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const char open = '{', quote = '"', escaped = '\'';
    const int64_t big = 1'000'000'000'000;
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && n<big>>1 && open == '{' && quote == '"' && escaped == '\'' && words[0] == '_') {
        c[i] = a[i] + b[i] /* + "c[i]" */;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int threads = 1 << 8 >> 1 << 1;
    if (raw[0] == '\n' && quoted[0] == 'k') add<<<(n + threads - 1) / threads, threads, 0, stream>>>(a, b, c, n);
}
