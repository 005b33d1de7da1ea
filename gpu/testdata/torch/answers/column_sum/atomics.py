# expect: correct
# Each block sums a strip of rows and adds what it has to the result atomically.
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

const int kRowsPerBlock = 32;

__global__ void add_strips(const float* __restrict__ x, float* total, int64_t rows, int64_t cols)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    const int64_t first = int64_t(blockIdx.y) * kRowsPerBlock;
    const int64_t last = min(static_cast<long long>(first + kRowsPerBlock), static_cast<long long>(rows));
    float sum = 0.0f;
    for (int64_t row = first; row < last; ++row) {
        sum += x[row * cols + col];
    }
    atomicAdd(&total[col], sum);
}

torch::Tensor column_sum(torch::Tensor x)
{
    const int64_t rows = x.size(0), cols = x.size(1);
    auto total = torch::zeros({cols}, x.options());
    const dim3 grid((cols + 63) / 64, (rows + kRowsPerBlock - 1) / kRowsPerBlock);
    add_strips<<<grid, 64>>>(x.data_ptr<float>(), total.data_ptr<float>(), rows, cols);
    cudaError_t error = cudaGetLastError();
    TORCH_CHECK(error == cudaSuccess, "the launch failed: ", cudaGetErrorString(error));
    return total;
}
"""

sums = load_inline(
    "column_sum_atomics",
    "torch::Tensor column_sum(torch::Tensor x);",
    cuda_source,
    functions=["column_sum"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return sums.column_sum(x)
