# expect: unsupported
# gpu: correct
# why: Triton compiles for GPUs only
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_kernel(a_pointer, b_pointer, sum_pointer, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    a = tl.load(a_pointer + at, mask=inside)
    b = tl.load(b_pointer + at, mask=inside)
    tl.store(sum_pointer + at, a + b, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        sum = torch.empty_like(a)
        size = sum.numel()
        add_kernel[(triton.cdiv(size, 1024),)](a, b, sum, size, BLOCK=1024)
        return sum
