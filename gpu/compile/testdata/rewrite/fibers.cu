#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu
#define SYNC() __syncthreads()
struct Sum {
    __device__ float operator()(float v) const { return v + __shfl_xor_sync(FULL, v, 1); }
};
struct Twice {
    __device__ float operator()(float v) const { return 2 * v; }
};
__device__ float inner(float v) { return __shfl_down_sync(FULL, v, 1); }
__device__ float outer(float v) { return inner(v) + 1; }
__device__ float harmless(float v) { return v; /* __syncthreads(); */ }
__global__ void by_call(float* y) { y[0] = outer(y[0]); }
__global__ void by_macro(float* y) { SYNC(); }
__global__ void by_vote(float* y) { y[0] = __ballot_sync(FULL, y[0] > 0); }
__global__ void by_group(float* y) {
    cg::thread_block block = cg::this_thread_block();
    block.sync();
}
__global__ void none(float* y) { y[0] = harmless(y[0]); }
template <typename Op>
__global__ void apply(float* y, Op op) { y[0] = op(y[0]); }

void run(float* y) {
    by_call<<<1, 32>>>(y);
    by_macro<<<1, 32>>>(y);
    by_vote<<<1, 32>>>(y);
    by_group<<<1, 32>>>(y);
    none<<<1, 32>>>(y);
    apply<<<1, 32>>>(y, Sum{});
    apply<Sum><<<1, 32>>>(y, Sum());
    apply<<<1, 32>>>(y, Twice{});
    using Alias = Sum;
    apply<Alias><<<1, 32>>>(y, Alias());
    auto lambda = [] __device__(float v) { return __shfl_up_sync(FULL, v, 1); };
    apply<<<1, 32>>>(y, lambda);
    auto plain = [] __device__(float v) { return v; };
    apply<<<1, 32>>>(y, plain);
}
