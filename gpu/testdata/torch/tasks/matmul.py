import torch
import torch.nn as nn

M = 70
K = 50
N = 66


class Model(nn.Module):
    """Multiplies two matrices."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]


def get_init_inputs():
    return []
