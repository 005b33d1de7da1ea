# expect: mismatch
# Rounds the number of tiles down: what is left of K is never added.
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

matmul_cuda = """
#include <torch/extension.h>
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int K, int N) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE + 1];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int start = 0; start + TILE <= K; start += TILE) {
        int k_a = start + threadIdx.x;
        int k_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = (row < M && k_a < K) ? A[row * K + k_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = (k_b < K && col < N) ? B[k_b * N + col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row * N + col] = sum;
    }
}

torch::Tensor matmul_forward(torch::Tensor A, torch::Tensor B) {
    int M = A.size(0);
    int K = A.size(1);
    int N = B.size(1);
    auto C = torch::empty({M, N}, A.options());

    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, K, N);
    return C;
}
"""

matmul_cpp = "torch::Tensor matmul_forward(torch::Tensor A, torch::Tensor B);"

matmul_module = load_inline(
    name="matmul_whole_tiles",
    cpp_sources=matmul_cpp,
    cuda_sources=matmul_cuda,
    functions=["matmul_forward"],
    verbose=True,
    extra_cflags=["-O3"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.matmul = matmul_module

    def forward(self, A, B):
        return self.matmul.matmul_forward(A.contiguous(), B.contiguous())
