"""Which kernels an answer launches, where they were built to be counted."""

from __future__ import annotations

import ctypes
import os

_LIBRARY = "libhone_device.so"  # what modules built by the judge launch their kernels through


class Launches:
    """The kernels launched while this is entered; none where nothing counts them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._library = _loaded()

    def __enter__(self) -> None:
        if self._library is not None:
            self._library.hone_library_count()

    def __exit__(self, *_: object) -> None:
        if self._library is not None:
            self.lines = self._library.hone_library_kernels().decode("utf-8", "replace").splitlines()


def _loaded() -> ctypes.CDLL | None:
    """The library, if something in this process was linked with it."""
    try:
        library = ctypes.CDLL(_LIBRARY, mode=os.RTLD_NOLOAD)
        library.hone_library_kernels.restype = ctypes.c_char_p
    except (OSError, AttributeError):
        return None
    return library
