# expect: correct
# Two functions of one module, named with their documentation; host code in the C++ source as well.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """
#include <vector>

torch::Tensor row_max(torch::Tensor x);
torch::Tensor places_of(torch::Tensor x, torch::Tensor top);

std::vector<torch::Tensor> max_and_place(torch::Tensor x)
{
    torch::Tensor top = row_max(x);
    return {top, places_of(x, top)};
}
"""

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void row_max_kernel(const float* x, float* top, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    float best = x[int64_t(row) * cols];
    for (int col = threadIdx.x; col < cols; col += warpSize) {
        best = fmaxf(best, x[int64_t(row) * cols + col]);
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        best = fmaxf(best, __shfl_down_sync(0xffffffffu, best, offset));
    }
    if (threadIdx.x == 0) {
        top[row] = best;
    }
}

// The first place of each row's maximum: a ballot tells which of 32 columns hold it.
__global__ void places_kernel(const float* x, const float* top, long* place, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    for (int start = 0; start < cols; start += 32) {
        const int col = start + threadIdx.x;
        const bool found = col < cols && x[int64_t(row) * cols + col] == top[row];
        const unsigned found_by = __ballot_sync(0xffffffffu, found);
        if (found_by != 0) {
            if (threadIdx.x == 0) {
                place[row] = start + __ffs(found_by) - 1;
            }
            return;
        }
    }
}

torch::Tensor row_max(torch::Tensor x)
{
    const int rows = x.size(0);
    auto top = torch::empty({rows}, x.options());
    row_max_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x.data_ptr<float>(), top.data_ptr<float>(), rows, x.size(1));
    return top;
}

torch::Tensor places_of(torch::Tensor x, torch::Tensor top)
{
    const int rows = x.size(0);
    auto place = torch::empty({rows}, x.options().dtype(torch::kInt64));
    places_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x.data_ptr<float>(), top.data_ptr<float>(),
                                                   place.data_ptr<int64_t>(), rows, x.size(1));
    return place;
}
"""

module = load_inline(
    name="max_and_place",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions={
        "row_max": "the largest value of each row",
        "places_of": "where each row holds its largest value first",
    },
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor):
        top = module.row_max(x)
        return top, module.places_of(x, top)
