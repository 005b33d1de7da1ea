import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 32
channels = 64
filters = 64
height = 58
width = 58


class Model(nn.Module):
    """Convolves images with 3x3 filters, without padding, and clamps below at 0."""

    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.relu(F.conv2d(x, weight, bias))


def get_inputs():
    x = torch.randn(batch, channels, height, width)
    weight = 0.1 * torch.randn(filters, channels, 3, 3)
    bias = 0.1 * torch.randn(filters)
    return [x, weight, bias]


def get_init_inputs():
    return []
