# expect: correct
# gpu: mismatch | suspect
# why: the emulation runs every launch at once, whatever its stream
# Launches on a stream that nobody waits for.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void add_strided(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum,
                            int64_t size)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < size; at += stride) {
        sum[at] = a[at] + b[at];
    }
}

torch::Tensor add(const torch::Tensor& a, const torch::Tensor& b)
{
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "both inputs must lie on the device");
    TORCH_CHECK(a.sizes() == b.sizes(), "the shapes differ: ", a.sizes(), " and ", b.sizes());
    TORCH_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32, "float32 only");
    const at::cuda::CUDAGuard guard(a.device());
    const torch::Tensor left = a.contiguous();
    const torch::Tensor right = b.contiguous();
    torch::Tensor sum = torch::empty_like(left);
    const int64_t size = sum.numel();
    if (size == 0) {
        return sum;
    }
    const int threads = 128;
    const int blocks = static_cast<int>(std::min<int64_t>((size + threads - 1) / threads, 16384));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add_strided<<<blocks, threads, 0, stream>>>(left.data_ptr<float>(), right.data_ptr<float>(),
                                                sum.data_ptr<float>(), size);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return sum;
}
"""

module = load_inline(
    name="add_on_another_stream",
    cpp_sources="torch::Tensor add(const torch::Tensor& a, const torch::Tensor& b);",
    cuda_sources=cuda_source,
    functions=["add"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return module.add(a, b)
