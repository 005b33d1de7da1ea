"""The judge's memory as torch tensors, without copies.

On a CPU a buffer is a file that is mapped. On a GPU it is an allocation that the
judge exported as a descriptor: it is imported and mapped through libcuda, at an
address that no buffer of this process had before, and stays a tensor's storage
until its set is closed. Where device memory cannot be shared, a file stands for it,
and fetch and return_ copy between that and a tensor of the device.
"""

from __future__ import annotations

import ctypes
import mmap
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .wire import Message

DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
NAMES: dict[torch.dtype, str] = {dtype: name for name, dtype in DTYPES.items()}

# Addresses that nothing backs follow each allocation, so that a kernel that leaves it
# meets them and no other buffer.
_GAP = 2 << 20


class Spec(NamedTuple):
    """One buffer line of a map message."""

    name: str
    size: int
    writable: bool
    allocation: int
    offset: int
    host: bool
    descriptor: int


class Buffer:
    """One tensor's memory."""

    def __init__(self, spec: Spec, data: torch.Tensor, host: torch.Tensor) -> None:
        self.spec = spec
        self._data = data
        self._host = host

    def tensor(self, dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
        """The memory as a contiguous tensor."""
        count = 1
        for extent in shape:
            count *= extent
        if self._data.numel() == 0 and count == 0:
            return torch.empty(tuple(shape), dtype=dtype, device=self._data.device)
        flat = self._data.view(dtype)
        if flat.numel() != count:
            raise ValueError(f"buffer {self.spec.name} has {flat.numel()} elements, not {count}")
        return flat.view(tuple(shape))

    def fetch(self) -> None:
        """Take what the judge wrote, where the device has a copy."""
        if self._host is not self._data:
            self._data.copy_(self._host)

    def return_(self) -> None:
        """Give the judge what was written, where the device has a copy."""
        if self._host is not self._data and self.spec.writable:
            self._host.copy_(self._data)


class Set:
    """One set of buffers, in named groups."""

    def __init__(self, groups: dict[str, list[Buffer]], imported: list[_Imported]) -> None:
        self._groups = groups
        self._imported = imported

    def group(self, name: str) -> list[Buffer]:
        """The buffers of a group, none where the judge gave none."""
        return self._groups.get(name, [])

    def close(self) -> None:
        """Give device memory back. Its tensors must not be used any more."""
        self._groups = {}
        for allocation in self._imported:
            allocation.close()
        self._imported = []


class Sets:
    """The sets of the last map messages."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._sets: list[Set] = []

    def __len__(self) -> int:
        return len(self._sets)

    def __getitem__(self, index: int) -> Set:
        if not 0 <= index < len(self._sets):
            raise ValueError(f"there is no set {index} of buffers: {len(self._sets)} were mapped")
        return self._sets[index]

    def take(self, message: Message) -> Set:
        """Map what a message brings; set 0 takes the place of all earlier ones."""
        try:
            index, groups = _parse(message.lines)
            if index not in (0, len(self._sets)):
                raise ValueError(f"set {index} does not follow {len(self._sets)} sets")
            mapped = _map(groups, message.descriptors, self._device)
        finally:
            message.close()
        if index == 0:
            for old in self._sets:
                old.close()
            self._sets = []
        self._sets.append(mapped)
        return mapped


def _parse(lines: list[list[str]]) -> tuple[int, dict[str, list[Spec]]]:
    index = -1
    groups: dict[str, list[Spec]] = {}
    current: list[Spec] = []
    for fields in lines:
        if fields[0] == "set":
            index = int(fields[1])
        elif fields[0] == "group":
            current = groups.setdefault(fields[1], [])
        elif fields[0] == "buffer":
            current.append(_spec(fields[1:]))
        else:
            raise ValueError(f"a map message has the unknown line {fields[0]}")
    return index, groups


def _spec(fields: list[str]) -> Spec:
    name, size, mode, allocation, offset, home, descriptor = fields
    spec = Spec(name, int(size), mode == "w", int(allocation), int(offset), home == "file", int(descriptor))
    if min(spec.size, spec.offset, spec.descriptor) < 0 or spec.size > spec.allocation - spec.offset:
        raise ValueError(f"buffer {name} lies outside of its allocation")
    return spec


def _map(groups: dict[str, list[Spec]], descriptors: list[int], device: torch.device) -> Set:
    """Map each allocation once, for writing where any of its buffers may be written."""
    writable: dict[int, bool] = {}
    for spec in (s for specs in groups.values() for s in specs):
        writable[spec.descriptor] = writable.get(spec.descriptor, False) or spec.writable
    whole: dict[int, torch.Tensor] = {}
    imported: list[_Imported] = []
    buffers: dict[str, list[Buffer]] = {}
    for name, specs in groups.items():
        buffers[name] = []
        for spec in specs:
            if spec.descriptor not in whole:
                descriptor, may_write = descriptors[spec.descriptor], writable[spec.descriptor]
                if spec.host:
                    whole[spec.descriptor] = _map_file(descriptor, spec.allocation, may_write)
                else:
                    imported.append(_Imported(descriptor, spec.allocation, may_write, device))
                    whole[spec.descriptor] = imported[-1].bytes()
            buffers[name].append(_buffer(spec, whole[spec.descriptor], device))
    return Set(buffers, imported)


def _buffer(spec: Spec, whole: torch.Tensor, device: torch.device) -> Buffer:
    own = whole[spec.offset : spec.offset + spec.size]
    if spec.host and device.type != "cpu":
        return Buffer(spec, torch.empty(spec.size, dtype=torch.uint8, device=device), own)
    return Buffer(spec, own, own)


def _map_file(descriptor: int, size: int, writable: bool) -> torch.Tensor:
    rights = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
    mapped = mmap.mmap(descriptor, size, mmap.MAP_SHARED, rights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch has no read-only tensors, and says so
        return torch.frombuffer(mapped, dtype=torch.uint8)


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Managed(ctypes.Structure):
    """DLPack's DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("dimensions", ctypes.c_int),
        ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_CAPSULE = b"dltensor"
_ON_CPU, _ON_CUDA = 1, 2  # DLPack's kDLCPU and kDLCUDA
_UNSIGNED = 1  # its kDLUInt


def at_address(address: int, size: int, device: torch.device) -> torch.Tensor:
    """The bytes at an address as a tensor, which does not own them. DLPack is the way
    to that which asks for no numpy."""
    kind = _ON_CUDA if device.type == "cuda" else _ON_CPU
    shape = (ctypes.c_int64 * 1)(size)
    managed = _Managed(address, _Device(kind, device.index or 0), 1, _Type(_UNSIGNED, 8, 1), shape)
    python = ctypes.pythonapi
    python.Py_IncRef(ctypes.py_object(managed))  # torch looks at it when the last tensor goes
    python.PyCapsule_New.restype = ctypes.py_object
    python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return torch.from_dlpack(python.PyCapsule_New(ctypes.addressof(managed), _CAPSULE, None))


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


_FILE_DESCRIPTOR = 1  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_DEVICE = 1  # CU_MEM_LOCATION_TYPE_DEVICE
_READ, _READ_WRITE = 1, 3


class _Imported:
    """An allocation of another process, mapped here. Its addresses stay reserved when
    it is closed, so that no later buffer gets them."""

    def __init__(self, descriptor: int, size: int, writable: bool, device: torch.device) -> None:
        torch.zeros(1, device=device)  # makes the device's primary context current
        number = device.index if device.index is not None else torch.cuda.current_device()
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._size, self._device = size, torch.device("cuda", number)
        self._handle, self._address = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        handle, whole = self._handle, ctypes.c_size_t(size)
        self._call(
            "cuMemImportFromShareableHandle",
            ctypes.byref(handle),
            ctypes.c_void_p(descriptor),
            _FILE_DESCRIPTOR,
        )
        zero = ctypes.c_ulonglong(0)
        self._call(
            "cuMemAddressReserve",
            ctypes.byref(self._address),
            ctypes.c_size_t(size + _GAP),
            ctypes.c_size_t(0),
            zero,
            zero,
        )
        self._call("cuMemMap", self._address, whole, ctypes.c_size_t(0), handle, zero)
        access = _Access(_Location(_DEVICE, number), _READ_WRITE if writable else _READ)
        self._call("cuMemSetAccess", self._address, whole, ctypes.byref(access), ctypes.c_size_t(1))

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._driver, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} of {self._size} bytes: CUDA error {code}")

    def bytes(self) -> torch.Tensor:
        """The whole allocation as bytes."""
        return at_address(self._address.value, self._size, self._device)

    def close(self) -> None:
        """Unmap and release. Nothing may be running on it."""
        torch.cuda.synchronize(self._device)
        self._call("cuMemUnmap", self._address, ctypes.c_size_t(self._size))
        self._call("cuMemRelease", self._handle)
