#include <cuda_runtime.h>
#include <cstdint>

constexpr int threads = 256;

// One block per row. Threads stride over the row, so that neighbours read
// neighbouring elements; two tree reductions meet in shared memory.
__global__ void softmax_block(const float* __restrict__ x, float* __restrict__ y, int64_t columns) {
    __shared__ float partial[threads];
    const float* in = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int t = threadIdx.x;

    float largest = -INFINITY;
    for (int64_t i = t; i < columns; i += threads) largest = fmaxf(largest, in[i]);
    partial[t] = largest;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half) partial[t] = fmaxf(partial[t], partial[t + half]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int64_t i = t; i < columns; i += threads) sum += expf(in[i] - largest);
    partial[t] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    float inverse = 1.0f / partial[0];

    for (int64_t i = t; i < columns; i += threads) out[i] = expf(in[i] - largest) * inverse;
}

extern "C" void solve(const float* x, float* y, int64_t M, int64_t N, cudaStream_t stream) {
    softmax_block<<<M, threads, 0, stream>>>(x, y, N);
}
