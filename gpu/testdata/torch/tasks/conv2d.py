import torch
import torch.nn as nn

batch = 2
height = 19
width = 23


class Model(nn.Module):
    """Applies a small convolution with padding and a bias."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs():
    return [torch.randn(batch, 3, height, width)]


def get_init_inputs():
    return [3, 8, 3]
