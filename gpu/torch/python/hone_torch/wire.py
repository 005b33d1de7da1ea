"""Messages to and from the judge, on a Unix stream socket.

A message is a header (length and type of the body, both little-endian uint32) and a
body of lines of tab-separated fields. Descriptors travel with the header. The judge
asks, this side answers each request but exit once, with ok or fault.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

DESCRIPTOR = 3

# Types of messages from the judge.
LOAD, MAP, CALL, EXIT, TIME = 1, 2, 3, 4, 5
# Types of messages to it.
HELLO, OK, FAULT = 1, 2, 3

MAX_BODY = 64 << 10
MAX_JSON = 60 << 10
MAX_DESCRIPTORS = 253

_HEADER = struct.Struct("<II")


class Message(NamedTuple):
    """One request: its type, its lines as fields, and the descriptors that came along."""

    kind: int
    lines: list[list[str]]
    descriptors: list[int]

    def value(self) -> dict[str, Any]:
        """The JSON object of a request that is one."""
        if len(self.lines) != 1 or len(self.lines[0]) != 2 or self.lines[0][0] != "json":
            raise ValueError("a request is not one line of JSON")
        value = json.loads(self.lines[0][1])
        if not isinstance(value, dict):
            raise TypeError("a request is no JSON object")
        return value

    def close(self) -> None:
        """Close the descriptors: what was mapped stays mapped."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors.clear()


def one_line(text: object, most: int = 1500) -> str:
    """The text in one line without control characters, bounded."""
    words = "".join(c if c.isprintable() else " " for c in str(text))
    words = " ".join(words.encode("utf-8", "replace").decode("utf-8").split())
    return words if len(words) <= most else words[:most] + "..."


class Channel:
    """This process's end of the connection. One thread uses it."""

    def __init__(self, descriptor: int = DESCRIPTOR) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)

    def hello(self, layers: Iterable[tuple[str, str]] = ()) -> None:
        """Greet, naming each layer of containment with "on" or "off: reason"."""
        lines = ["protocol\t1"]
        lines += [f"layer\t{one_line(name, 100)}\t{one_line(state, 500)}" for name, state in layers]
        self._send(HELLO, lines)

    def receive(self) -> Message | None:
        """The next request, or None when the judge went away."""
        header, descriptors = self._header()
        if header is None:
            return None
        size, kind = _HEADER.unpack(header)
        if size > MAX_BODY:
            raise ValueError(f"a request announces {size} bytes, more than {MAX_BODY}")
        body = self._exactly(size)
        if body is None:
            return None
        lines = [line.split("\t") for line in body.decode("utf-8").split("\n")[:-1]]
        return Message(kind, lines, descriptors)

    def ok(self, lines: Sequence[str] = ()) -> None:
        """Answer that a request was done."""
        self._send(OK, lines)

    def answer(self, value: object) -> None:
        """Answer with one JSON object. NaN and infinities are no JSON: send None instead."""
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        if len(text) > MAX_JSON:
            raise ValueError(f"an answer of {len(text)} bytes, more than {MAX_JSON}")
        self._send(OK, ["json\t" + text])

    def fault(self, kind: str, message: str, line: int = 0) -> None:
        """Say why this process can do no more. The caller ends it."""
        lines = ["kind\t" + kind, "message\t" + (one_line(message) or "no message")]
        if line > 0:
            lines.append(f"line\t{line}")
        self._send(FAULT, lines)

    def fail(self, kind: str, message: str, line: int = 0) -> NoReturn:
        """Report a fault and end the process at once, whatever its other threads do."""
        self.fault(kind, message, line)
        os._exit(0)

    def _send(self, kind: int, lines: Sequence[str]) -> None:
        body = "".join(line + "\n" for line in lines).encode("utf-8", "replace")
        self._socket.sendall(_HEADER.pack(len(body), kind) + body)

    def _header(self) -> tuple[bytes | None, list[int]]:
        """The header, with the descriptors that came with it."""
        room = socket.CMSG_SPACE(MAX_DESCRIPTORS * array.array("i").itemsize)
        flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
        data, ancillary, _, _ = self._socket.recvmsg(_HEADER.size, room, flags)
        descriptors = _descriptors(ancillary)
        if not data:
            return None, descriptors
        rest = self._exactly(_HEADER.size - len(data))
        return (None if rest is None else data + rest), descriptors

    def _exactly(self, size: int) -> bytes | None:
        parts: list[bytes] = []
        while size > 0:
            part = self._socket.recv(min(size, 1 << 16))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    found = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return list(found)
