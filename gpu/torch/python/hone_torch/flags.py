"""The switches of torch that change what its operators compute."""

from __future__ import annotations

from typing import Any

import torch

Flags = dict[str, bool]


def read() -> Flags:
    """The switches as they are."""
    return {
        "matmul_tf32": _allows_tf32(torch.backends.cuda.matmul),
        "cudnn_tf32": _allows_tf32(torch.backends.cudnn),
        "cudnn": bool(torch.backends.cudnn.enabled),
        "cudnn_benchmark": bool(torch.backends.cudnn.benchmark),
        "deterministic": bool(torch.are_deterministic_algorithms_enabled()),
    }


def _allows_tf32(backend: Any) -> bool:
    """torch does not tell where a program chose precisions by their newer names."""
    try:
        return bool(backend.allow_tf32)
    except RuntimeError:
        return bool(getattr(backend, "conv", backend).fp32_precision == "tf32")


def write(flags: Flags) -> None:
    """Set the switches."""
    if hasattr(torch.backends, "fp32_precision"):
        # What a program chose by the newer names must not contradict the older ones.
        torch.backends.fp32_precision = "none"
        torch.backends.cudnn.fp32_precision = "none"
    torch.backends.cuda.matmul.allow_tf32 = flags["matmul_tf32"]
    torch.backends.cudnn.allow_tf32 = flags["cudnn_tf32"]
    torch.backends.cudnn.enabled = flags["cudnn"]
    torch.backends.cudnn.benchmark = flags["cudnn_benchmark"]
    torch.use_deterministic_algorithms(flags["deterministic"])


def with_tf32(flags: Flags, mode: str) -> Flags:
    """The switches with TF32 "on" or "off" everywhere, or as they are for ""."""
    if mode not in ("", "on", "off"):
        raise ValueError(f"TF32 is {mode!r}: neither on nor off")
    if mode == "":
        return dict(flags)
    return {**flags, "matmul_tf32": mode == "on", "cudnn_tf32": mode == "on"}
