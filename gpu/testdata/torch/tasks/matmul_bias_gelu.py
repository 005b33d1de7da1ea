import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 45
in_features = 72
out_features = 90


class Model(nn.Module):
    """Applies a linear layer and then the exact GELU."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.linear(x))


def get_inputs():
    return [torch.randn(rows, in_features)]


def get_init_inputs():
    return [in_features, out_features]
