// expect: runtime_error deadlock
// gpu: timeout | mismatch | correct
// why: a shuffle whose lanes never come is undefined: it may hang, and it may not
#include <cuda_runtime.h>
#include <cstdint>

// The shuffle names all lanes, but only the lower half of them ever gets there:
// the upper half waits at the barrier.
__global__ void softmax_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float total;
    const int lane = threadIdx.x;
    const float* in = x + blockIdx.x * cols;
    float sum = 0.0f;
    for (int64_t col = lane; col < cols; col += 32) {
        sum += expf(in[col]);
    }
    if (lane < 16) {
        for (int offset = 8; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        }
        total = sum;
    }
    __syncthreads();
    for (int64_t col = lane; col < cols; col += 32) {
        y[blockIdx.x * cols + col] = expf(in[col]) / total;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    softmax_rows<<<rows, 32, 0, stream>>>(x, y, cols);
}
