import torch
import torch.nn as nn

rows = 53
cols = 211


class Model(nn.Module):
    """Finds the place of the largest value in each row, as a 64-bit integer."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
