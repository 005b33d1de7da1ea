import torch
import torch.nn as nn

size = 20_003


class Model(nn.Module):
    """Multiplies two vectors of halves and adds the first."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * y + x


def get_inputs():
    return [torch.randn(size).half(), torch.randn(size).half()]


def get_init_inputs():
    return []
