import torch
import torch.nn as nn

rows = 83
features = 130


class Model(nn.Module):
    """Normalises each row, then scales and shifts it by weights of its own."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(features)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
