import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer whose output is all but zero: a bad task to judge by."""

    def __init__(self, width, scale):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = scale

    def forward(self, x):
        return self.linear(x) * self.scale


def get_inputs():
    return [torch.randn(64, 48)]


def get_init_inputs():
    return [48, 1e-7]
