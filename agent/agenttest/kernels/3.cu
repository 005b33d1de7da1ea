#include <cuda_runtime.h>
#include <cstdint>

// One thread walks one row: the maximum, the sum, then the quotients.
__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t columns) {
    int64_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + row * columns;
    float* out = y + row * columns;

    float largest = in[0];
    for (int64_t i = 1; i < columns; ++i) largest = fmaxf(largest, in[i]);

    float sum = 0.0f;
    for (int64_t i = 0; i < columns; ++i) sum += expf(in[i] - largest);

    for (int64_t i = 0; i < columns; ++i) out[i] = expf(in[i] - largest) / sum;
}

extern "C" void solve(const float* x, float* y, int64_t M, int64_t N, cudaStream_t stream) {
    softmax_rows<<<(M + 127) / 128, 128, 0, stream>>>(x, y, M, N);
}
