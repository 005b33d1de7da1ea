import torch
import torch.nn as nn

n = 4_194_304
rounds = 2


class Model(nn.Module):
    """Reflects each element at 1/2, an even number of times: where it was."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1 - x if rounds % 2 else x.clone()


def get_inputs():
    return [torch.rand(n)]


def get_init_inputs():
    return []
