// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Sums one value per thread over the block, in shared memory.
__device__ float block_sum(float v, float* partial)
{
    partial[threadIdx.x] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    const float total = partial[0];
    __syncthreads();
    return total;
}

__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, int64_t cols)
{
    __shared__ float partial[256];
    const float* in = x + blockIdx.x * cols;
    float* out = y + blockIdx.x * cols;

    float sum = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
        sum += in[col];
    }
    const float mean = block_sum(sum, partial) / cols;

    float squares = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
        squares += (in[col] - mean) * (in[col] - mean);
    }
    const float variance = block_sum(squares, partial) / cols;

    for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
        out[col] = (in[col] - mean) / sqrtf(variance + 1e-5f) * weight[col] + bias[col];
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t cols,
                      cudaStream_t stream)
{
    layer_norm<<<rows, 256, 0, stream>>>(x, weight, bias, y, cols);
}
