// expect: runtime_error out_of_bounds
// gpu: correct | mismatch
// why: what lies before a block's own shared memory can be read, and mostly holds zeros
#include <cuda_runtime.h>
#include <cstdint>

// The first step of the scan reads before the start of the shared array.
__global__ void scan_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float chunk[256];
    const int tid = threadIdx.x;
    float carry = 0.0f;
    for (int64_t start = 0; start < cols; start += 256) {
        chunk[tid] = start + tid < cols ? x[blockIdx.x * cols + start + tid] : 0.0f;
        __syncthreads();
        for (int offset = 1; offset < 256; offset *= 2) {
            const float before = chunk[tid - offset];
            __syncthreads();
            chunk[tid] += before;
            __syncthreads();
        }
        if (start + tid < cols) {
            y[blockIdx.x * cols + start + tid] = carry + chunk[tid];
        }
        carry += chunk[255];
        __syncthreads();
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    scan_rows<<<rows, 256, 0, stream>>>(x, y, cols);
}
