# expect: correct
# A template over the width of an access and over what is applied; the number is an argument of the function.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

struct Multiply {
    float factor;
    __device__ float operator()(float v) const { return v * factor; }
};

template <typename Vector>
struct Width {
    static constexpr int value = sizeof(Vector) / sizeof(float);
};

template <typename Vector, int kThreads, typename Operation>
__global__ void __launch_bounds__(kThreads)
apply(const float* __restrict__ x, float* __restrict__ y, int64_t count, Operation operation)
{
    const int64_t at = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (at >= count) {
        return;
    }
    union {
        Vector whole;
        float part[Width<Vector>::value];
    } v;
    v.whole = reinterpret_cast<const Vector*>(x)[at];
#pragma unroll
    for (int i = 0; i < Width<Vector>::value; ++i) {
        v.part[i] = operation(v.part[i]);
    }
    reinterpret_cast<Vector*>(y)[at] = v.whole;
}

template <typename Vector>
void launch(const torch::Tensor& x, torch::Tensor& y, float factor)
{
    const int64_t count = x.numel() / Width<Vector>::value;
    const unsigned blocks = static_cast<unsigned>((count + 127) / 128);
    apply<Vector, 128, Multiply><<<blocks, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), count, Multiply{factor});
}

torch::Tensor scale(torch::Tensor x, double factor)
{
    auto y = torch::empty_like(x);
    if (x.numel() % 4 == 0) {
        launch<float4>(x, y, static_cast<float>(factor));
    } else if (x.numel() % 2 == 0) {
        launch<float2>(x, y, static_cast<float>(factor));
    } else {
        launch<float>(x, y, static_cast<float>(factor));
    }
    return y;
}
"""

module = load_inline(
    name="scale_templates",
    cpp_sources="torch::Tensor scale(torch::Tensor x, double factor);",
    cuda_sources=cuda_source,
    functions=["scale"],
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, factor: float) -> torch.Tensor:
        return module.scale(x, factor)
