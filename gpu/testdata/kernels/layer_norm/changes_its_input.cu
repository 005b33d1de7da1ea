// expect: mismatch
// gpu: runtime_error illegal_address
// why: an input is mapped for reading only
#include <cuda_runtime.h>
#include <cstdint>

// Centres the row in place, in the input.
__global__ void layer_norm(float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int64_t col = 0; col < cols; ++col) {
        sum += x[row * cols + col];
    }
    float squares = 0.0f;
    for (int64_t col = 0; col < cols; ++col) {
        x[row * cols + col] -= sum / cols;
        squares += x[row * cols + col] * x[row * cols + col];
    }
    for (int64_t col = 0; col < cols; ++col) {
        y[row * cols + col] = x[row * cols + col] * rsqrtf(squares / cols + 1e-5f) * weight[col] + bias[col];
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t cols,
                      cudaStream_t stream)
{
    layer_norm<<<(rows + 63) / 64, 64, 0, stream>>>(const_cast<float*>(x), weight, bias, y, rows, cols);
}
