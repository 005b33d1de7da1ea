// expect: correct
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add_rms_norm(const __half* x, const __half* residual, const __half* weight, __half* hidden,
                             __half* y, int64_t cols)
{
    __shared__ float partial[256];
    const int tid = threadIdx.x;
    const int64_t start = blockIdx.x * cols;

    float squares = 0.0f;
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        const __half h = __hadd(x[start + col], residual[start + col]);
        hidden[start + col] = h;
        squares += __half2float(h) * __half2float(h);
    }
    partial[tid] = squares;
    __syncthreads();
    for (int half_block = blockDim.x / 2; half_block > 0; half_block /= 2) {
        if (tid < half_block) {
            partial[tid] += partial[tid + half_block];
        }
        __syncthreads();
    }
    const float scale = rsqrtf(partial[0] / cols + 1e-5f);
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        y[start + col] = __float2half(__half2float(hidden[start + col]) * scale * __half2float(weight[col]));
    }
}

extern "C" void solve(const __half* x, const __half* residual, const __half* weight, __half* hidden, __half* y,
                      int64_t rows, int64_t cols, cudaStream_t stream)
{
    add_rms_norm<<<rows, 256, 0, stream>>>(x, residual, weight, hidden, y, cols);
}
