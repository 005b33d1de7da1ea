// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

struct Pair {
    float value;
    int64_t place;
};

// The larger value wins, the earlier place among equals.
__device__ Pair better(Pair a, Pair b)
{
    if (b.value > a.value || (b.value == a.value && b.place < a.place)) {
        return b;
    }
    return a;
}

// One block per row.
__global__ void reduce_rows(const float* x, float* total, int64_t* index, int64_t cols)
{
    __shared__ float sums[128];
    __shared__ Pair best[128];
    const int tid = threadIdx.x;
    const float* in = x + blockIdx.x * cols;

    float sum = 0.0f;
    Pair mine = {-INFINITY, cols};
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        sum += in[col];
        mine = better(mine, Pair{in[col], col});
    }
    sums[tid] = sum;
    best[tid] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) {
            sums[tid] += sums[tid + half];
            best[tid] = better(best[tid], best[tid + half]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        total[blockIdx.x] = sums[0];
        index[blockIdx.x] = best[0].place;
    }
}

extern "C" void solve(const float* x, float* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    reduce_rows<<<rows, 128, 0, stream>>>(x, total, index, cols);
}
