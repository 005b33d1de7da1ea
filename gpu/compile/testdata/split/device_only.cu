#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
using Fragment = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
struct Held { Fragment a; };
struct Pair { half2 v; float2 w; };

__device__ float reduce(cg::thread_block_tile<32> tile, float v)
{
    auto add = [=] __device__(float a) { return a + tile.shfl_down(v, 1); };
    return add(v);
}
__global__ void k(Pair p, float* y)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    y[0] = reduce(tile, __half2float(p.v.x));
}
void solve(float* y)
{
    Pair p{{__float2half(1.0f), __float2half(2.0f)}, make_float2(3, 4)};
    void* arguments[] = {&p, &y};
    cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(32), arguments, 0, nullptr);
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    void (*chosen)(Pair, float*) = k;
    for (int i = 0; i < 2; ++i) i ? k<<<1, 32>>>(p, y) : chosen<<<1, 64>>>(p, y);
}
