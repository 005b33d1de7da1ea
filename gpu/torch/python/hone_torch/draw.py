"""Inputs of a trial: fresh ones, of another magnitude, or with one element changed."""

from __future__ import annotations

import random

import torch

from .reference import Arguments, Failure, Reference

FACTOR = -8.0
DEVIATIONS = 8.0


class Change:
    """The element that a perturbed draw changed: of which input, and where."""

    def __init__(self, name: str, element: int) -> None:
        self.name, self.element = name, element


def fresh(reference: Reference, seed: int) -> Arguments:
    """Inputs as the task draws them."""
    return reference.draw(seed)


def scaled(reference: Reference, seed: int) -> Arguments:
    """Inputs of another magnitude, and of the other sign where there are both: what has
    no negative numbers may be without them of necessity."""
    drawn = reference.draw(seed)
    for leaf in drawn.leaves:
        value = leaf.value
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0:
            signed = bool((value < 0).any())
            leaf.value = value * (FACTOR if signed else abs(FACTOR))
    return drawn


def perturbed(reference: Reference, seed: int) -> tuple[Arguments, Change]:
    """The inputs of the same seed with one element of one of them changed by more than
    a tolerance could hide."""
    drawn = reference.draw(seed)
    choice = random.Random(f"perturbed {seed}")
    candidates = [
        leaf for leaf in drawn.leaves if isinstance(leaf.value, torch.Tensor) and leaf.value.numel() > 0
    ]
    floating = [leaf for leaf in candidates if leaf.value.is_floating_point()]
    if not candidates:
        raise Failure("unsupported", "there is no input with an element to change")
    leaf = choice.choice(floating or candidates)
    leaf.value = leaf.value.contiguous().clone()
    flat = leaf.value.view(-1)
    element = choice.randrange(flat.numel())
    if floating:
        _move(flat, element, reference.ranged)
    else:
        _replace(flat, element)
    return drawn, Change(leaf.name, element)


def _move(flat: torch.Tensor, element: int, ranged: bool) -> None:
    """Move one element far from where it was; within the others' range where the model
    may refuse what lies beyond."""
    if ranged:
        low, high = float(flat.min()), float(flat.max())
        flat[element] = high if float(flat[element]) - low < high - float(flat[element]) else low
        return
    deviation = float(flat.float().std()) if flat.numel() > 1 else abs(float(flat[0]))
    flat[element] += DEVIATIONS * (deviation or 1.0)


def _replace(flat: torch.Tensor, element: int) -> None:
    """Give one element another's value: an integer may be an index, and must stay one."""
    if flat.dtype == torch.bool:
        flat[element] = not bool(flat[element])
        return
    others = (flat != flat[element]).nonzero()
    if len(others) > 0:
        flat[element] = flat[int(others[0])].clone()
