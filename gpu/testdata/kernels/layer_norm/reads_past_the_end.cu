// expect: runtime_error out_of_bounds
// gpu: runtime_error illegal_address | mismatch
// why: the element past the end lies where no memory is, or in the guard band, which can be read: then a row's mean is off
#include <cuda_runtime.h>
#include <cstdint>

// The loop runs one element too far, past the end of x in the last row.
__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, int64_t rows,
                           int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = x + row * cols;
    float sum = 0.0f;
    for (int64_t col = 0; col <= cols; ++col) {
        sum += in[col];
    }
    const float mean = sum / cols;
    float squares = 0.0f;
    for (int64_t col = 0; col < cols; ++col) {
        squares += (in[col] - mean) * (in[col] - mean);
    }
    const float scale = rsqrtf(squares / cols + 1e-5f);
    for (int64_t col = 0; col < cols; ++col) {
        y[row * cols + col] = (in[col] - mean) * scale * weight[col] + bias[col];
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t cols,
                      cudaStream_t stream)
{
    layer_norm<<<(rows + 63) / 64, 64, 0, stream>>>(x, weight, bias, y, rows, cols);
}
