"""How large and how deep a file may be, and what is said of one that cannot be read."""

from __future__ import annotations

MAX_BYTES = 1 << 20
MAX_DEPTH = 800  # of the tree; a chain of a thousand additions is no honest kernel
MAX_NODES = 100_000  # an honest answer has a tenth of it
MAX_FACTS = 10_000
MAX_TEXT = 2 << 20  # of all sources together: a text can double itself in every line
MAX_HOPS = 100  # from an alias to what it stands for


class Refused(Exception):
    """The file cannot be read: where, and why."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line, self.column = line, column
