// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Whole rows in dynamic shared memory, above the 48 KB that need no asking.
__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int cols)
{
    extern __shared__ __align__(16) unsigned char raw[];
    float* row = reinterpret_cast<float*>(raw);
    float* partial = row + cols;
    const int tid = threadIdx.x;
    const int64_t start = int64_t(blockIdx.x) * cols;

    float top = -INFINITY;
    for (int col = tid; col < cols; col += blockDim.x) {
        row[col] = x[start + col];
        top = fmaxf(top, row[col]);
    }
    partial[tid] = top;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half) {
            partial[tid] = fmaxf(partial[tid], partial[tid + half]);
        }
        __syncthreads();
    }
    top = partial[0];
    __syncthreads();
    float sum = 0.0f;
    for (int col = tid; col < cols; col += blockDim.x) {
        row[col] = __expf(row[col] - top);
        sum += row[col];
    }
    partial[tid] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half) {
            partial[tid] += partial[tid + half];
        }
        __syncthreads();
    }
    const float scale = __fdividef(1.0f, partial[0]);
    for (int col = tid; col < cols; col += blockDim.x) {
        y[start + col] = row[col] * scale;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int block = 128;
    const int bytes = int(cols + block) * int(sizeof(float));
    const int reserved = bytes < 65536 ? 65536 : bytes;
    cudaFuncSetAttribute(softmax_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, reserved);
    softmax_rows<<<rows, block, reserved, stream>>>(x, y, int(cols));
}
