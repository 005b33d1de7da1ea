// expect: mismatch
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

// Sums the squares in float16, which overflows and loses digits on the way.
__global__ void add_rms_norm(const __half* x, const __half* residual, const __half* weight, __half* hidden,
                             __half* y, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const int64_t start = row * cols;
    __half squares = __float2half(0.0f);
    for (int64_t i = start; i < start + cols; ++i) {
        hidden[i] = __hadd(x[i], residual[i]);
        squares = __hfma(hidden[i], hidden[i], squares);
    }
    const float scale = rsqrtf(__half2float(squares) / cols + 1e-5f);
    for (int64_t i = start; i < start + cols; ++i) {
        y[i] = __float2half(__half2float(hidden[i]) * scale * __half2float(weight[i - start]));
    }
}

extern "C" void solve(const __half* x, const __half* residual, const __half* weight, __half* hidden, __half* y,
                      int64_t rows, int64_t cols, cudaStream_t stream)
{
    add_rms_norm<<<(rows + 63) / 64, 64, 0, stream>>>(x, residual, weight, hidden, y, rows, cols);
}
