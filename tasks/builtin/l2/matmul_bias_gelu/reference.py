import torch
import torch.nn as nn
import torch.nn.functional as F

M = 2048
N = 4096
K = 1000


class Model(nn.Module):
    """Applies a linear layer and then the exact GELU."""

    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return F.gelu(F.linear(x, weight, bias))


def get_inputs():
    return [torch.randn(M, K), 0.1 * torch.randn(N, K), 0.5 * torch.randn(N)]


def get_init_inputs():
    return []
