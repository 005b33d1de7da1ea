# expect: correct
# Layer norm over millions of elements: means and squares of chunks, put together per row, then applied.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 256;
constexpr int kChunks = 128;  // per row

__device__ float block_sum(float v)
{
    __shared__ float of_warps[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = v;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < kThreads / 32; ++i) {
        sum += of_warps[i];
    }
    return sum;
}

// The mean of each chunk and the squares around it.
__global__ void __launch_bounds__(kThreads)
chunk_statistics(const float* __restrict__ x, float2* __restrict__ chunks, int64_t cols)
{
    const int64_t first = cols * blockIdx.x / kChunks;
    const int64_t last = cols * (blockIdx.x + 1) / kChunks;
    x += int64_t(blockIdx.y) * cols;
    float sum = 0.0f;
    for (int64_t at = first + threadIdx.x; at < last; at += kThreads) {
        sum += x[at];
    }
    const float mean = block_sum(sum) / fmaxf(float(last - first), 1.0f);
    float squares = 0.0f;
    for (int64_t at = first + threadIdx.x; at < last; at += kThreads) {
        const float d = x[at] - mean;
        squares += d * d;
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        chunks[blockIdx.y * kChunks + blockIdx.x] = make_float2(mean, squares);
    }
}

// Mean and inverse deviation of each row, from its chunks.
__global__ void row_statistics(const float2* chunks, float2* rows, int64_t cols, float epsilon)
{
    chunks += blockIdx.x * kChunks;
    double count = 0.0, mean = 0.0, squares = 0.0;
    for (int i = 0; i < kChunks; ++i) {
        const double more = cols * (i + 1) / kChunks - cols * i / kChunks;
        if (more > 0.0) {
            const double step = chunks[i].x - mean;
            squares += chunks[i].y + step * step * count * more / (count + more);
            mean += step * more / (count + more);
            count += more;
        }
    }
    rows[blockIdx.x] = make_float2(float(mean), float(rsqrt(squares / count + epsilon)));
}

__global__ void __launch_bounds__(kThreads)
apply(const float* __restrict__ x, const float2* __restrict__ rows, const float* __restrict__ weight,
      const float* __restrict__ bias, float* __restrict__ y, int64_t cols)
{
    const int64_t col = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (col < cols) {
        const float2 row = rows[blockIdx.y];
        const int64_t at = int64_t(blockIdx.y) * cols + col;
        y[at] = (x[at] - row.x) * row.y * weight[col] + bias[col];
    }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    const int64_t cols = weight.numel();
    const unsigned rows = static_cast<unsigned>(x.numel() / cols);
    auto chunks = torch::empty({rows, kChunks, 2}, x.options());
    auto statistics = torch::empty({rows, 2}, x.options());
    auto y = torch::empty_like(x);
    float2* of_chunks = reinterpret_cast<float2*>(chunks.data_ptr<float>());
    float2* of_rows = reinterpret_cast<float2*>(statistics.data_ptr<float>());
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    chunk_statistics<<<dim3(kChunks, rows), kThreads, 0, stream>>>(x.data_ptr<float>(), of_chunks, cols);
    row_statistics<<<rows, 1, 0, stream>>>(of_chunks, of_rows, cols, 1e-5f);
    apply<<<dim3(static_cast<unsigned>((cols + kThreads - 1) / kThreads), rows), kThreads, 0, stream>>>(
        x.data_ptr<float>(), of_rows, weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), cols);
    return y;
}
"""

module = load_inline(
    name="layer_norm_chunks",
    cpp_sources="torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["layer_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape: tuple):
        super().__init__()
        self.ln = nn.ParameterDict(
            {
                "weight": nn.Parameter(torch.ones(normalized_shape)),
                "bias": nn.Parameter(torch.zeros(normalized_shape)),
            }
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.layer_norm(x.contiguous(), self.ln["weight"], self.ln["bias"])
