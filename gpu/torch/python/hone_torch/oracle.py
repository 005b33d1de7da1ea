"""The oracle: a trusted process that runs a task's reference for the judge.

It takes one reference, describes it, draws inputs into the judge's buffers and
writes what is right into others. Its requests are those of the Go package oracle.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from typing import Any

import torch

from . import describe, draw, eager, flags, lint
from .describe import Described
from .memory import DTYPES, Buffer, Set, Sets
from .reference import Arguments, Failure, Reference, failure_of, is_memory
from .wire import CALL, EXIT, LOAD, MAP, MAX_JSON, TIME, Channel, Message

# Bytes of host memory that are left to everybody else.
_SPARE = 256 << 20


class Oracle:
    """The state of the process: one reference, and the sets of buffers mapped last."""

    def __init__(self, device: torch.device, available: int, tf32: str, copies: int) -> None:
        self._device, self._available, self._copies = device, available, copies
        self._defaults = flags.read()
        self._exact_flags = flags.with_tf32(self._defaults, "off")
        self._timing_flags = flags.with_tf32(self._defaults, tf32)
        self._sets = Sets(device)
        self._described: Described | None = None
        self._compiled: Any = None  # the reference's model, once it was asked for
        flags.write(self._exact_flags)

    @property
    def described(self) -> Described:
        """The reference that was loaded."""
        if self._described is None:
            raise Failure("request", "no reference has been loaded")
        return self._described

    def answer(self, message: Message) -> Any:
        """Do what a request asks, and return its answer; None is an empty one."""
        if message.kind == MAP:
            return self._map(message)
        request = message.value()
        if message.kind == LOAD:
            return self._load(request)
        if message.kind == TIME:
            return self._time(request)
        actions = {"draw": self._draw, "expect": self._expect, "repeat": self._repeat, "lint": self._lint}
        action = actions.get(request.get("do", ""))
        if message.kind != CALL or action is None:
            raise Failure(
                "request", f"there is no request of type {message.kind} to do {request.get('do')!r}"
            )
        return action(request)

    def _load(self, request: dict[str, Any]) -> Any:
        reference = Reference(request["source"], self._device)
        self._described = Described(reference, self._defaults, self._available, self._copies)
        self._compiled = None
        self._release()
        return self._described.description

    def _release(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()  # the judge and the candidate share the device

    def _map(self, message: Message) -> None:
        mapped = self._sets.take(message)
        state = self.described.reference.state.tensors()
        if mapped.group("state"):
            _write(mapped.group("state"), [tensor for _, tensor in state], "state")
        self._synchronize()

    def _draw(self, request: dict[str, Any]) -> Any:
        described, mapped = self.described, self._sets[request["set"]]
        seed, kind = request["seed"], request["kind"]
        answer = {"kind": kind, "changed": "", "element": 0}
        if kind == "scaled" and not described.scalable:
            kind = answer["kind"] = "fresh"
        if kind == "perturbed":
            drawn, change = draw.perturbed(described.reference, seed)
            answer.update(changed=change.name, element=change.element)
        elif kind in ("fresh", "scaled"):
            drawn = (draw.fresh if kind == "fresh" else draw.scaled)(described.reference, seed)
        else:
            raise Failure("request", f"inputs cannot be drawn as {kind!r}")
        _write(mapped.group("inputs"), drawn.tensors(), "inputs")
        self._synchronize()
        return answer

    def _expect(self, request: dict[str, Any]) -> Any:
        described, mapped = self.described, self._sets[request["set"]]
        tensors = self._inputs(mapped)
        _write(mapped.group("native"), described.run(tensors).tensors(), "native outputs")
        why = described.exact_why
        if not why and not mapped.group("exact"):
            why = "there are no buffers for double precision"
        if not why:
            why = self._exact(tensors, mapped)
        self._release()
        self._synchronize()
        return {"exact": not why, "why": why}

    def _exact(self, tensors: list[torch.Tensor], mapped: Set) -> str:
        try:
            outputs = self.described.exact_outputs(tensors)
        except Exception as error:  # noqa: BLE001 - memory may have become scarce
            if is_memory(error):
                return "double precision takes more memory than is free"
            return f"the model does not run in double precision: {type(error).__name__}: {error}"
        _write(mapped.group("exact"), outputs, "exact outputs")
        return ""

    def _inputs(self, mapped: Set) -> list[torch.Tensor]:
        specs = [i["tensor"] for i in self.described.description["inputs"] if i["kind"] == "tensor"]
        buffers = mapped.group("inputs")
        if len(buffers) != len(specs):
            raise Failure("request", f"{len(buffers)} buffers for {len(specs)} inputs")
        for buffer in buffers:
            buffer.fetch()
        return [b.tensor(DTYPES[s["dtype"]], s["shape"]) for b, s in zip(buffers, specs)]

    def _time(self, request: dict[str, Any]) -> Any:
        flags.write(self._timing_flags)
        try:
            result = eager.run(self._plan(request), self._device, request["l2"])
            return {**result, "refused": "", "flags": flags.read()}
        except eager.Refused as refused:
            nothing = {"samples": [], "setup_ns": 0, "wall_ns": 0, "empty_ns": 0, "null_ns": 0}
            return {**nothing, "refused": str(refused), "flags": flags.read()}
        finally:
            flags.write(self._exact_flags)
            self._release()

    def _plan(self, request: dict[str, Any]) -> eager.Plan:
        described = self.described
        model: Any = described.reference.model
        if request["what"] == "compile":
            model = self._compiled = self._compiled or eager.compiled(model)
        elif request["what"] != "eager":
            raise Failure("request", f"{request['what']!r} cannot be timed")
        count = len(self._sets)
        order = [(request["set"] + i) % max(1, count) for i in range(count)]
        steps = [self._step(model, described, self._inputs(self._sets[i]), request["what"]) for i in order]
        if not steps:
            raise Failure("request", "no buffers have been mapped")
        return eager.Plan(
            steps, described.reference.state.restore, request["samples"], request["budget_ns"] / 1e9
        )

    def _step(self, model: Any, described: Described, tensors: list[torch.Tensor], what: str) -> eager.Step:
        if described.mutates:
            tensors = [t.clone() for t in tensors]
        args, kwargs = described.arguments.with_tensors(tensors)

        def step() -> Any:
            try:
                with torch.no_grad():
                    return model(*args, **kwargs)
            except Exception as error:
                if what == "compile":
                    raise eager.Refused(f"torch.compile: {type(error).__name__}: {error}") from error
                raise failure_of(error, described.reference.path, "forward") from error

        return step

    def _repeat(self, request: dict[str, Any]) -> None:
        described = self.described
        step = self._step(
            described.reference.model, described, self._inputs(self._sets[request["set"]]), "eager"
        )
        described.reference.state.restore()
        flags.write(self._timing_flags)
        try:
            for _ in range(int(request["count"])):
                step()
            self._synchronize()
        finally:
            flags.write(self._exact_flags)
            described.reference.state.restore()

    def _lint(self, request: dict[str, Any]) -> Any:
        return lint.report(self.described, request, self._inputs_of)

    def _inputs_of(self, drawn: Arguments) -> list[torch.Tensor]:
        return self.described.own_tensors(drawn)

    def _synchronize(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize()


def _write(buffers: list[Buffer], tensors: list[torch.Tensor], what: str) -> None:
    if len(buffers) != len(tensors):
        raise Failure("request", f"{len(buffers)} buffers for {len(tensors)} tensors of the {what}")
    for buffer, tensor in zip(buffers, tensors):
        buffer.tensor(tensor.dtype, tensor.shape).copy_(tensor)
        buffer.return_()


def _reply(channel: Channel, value: Any) -> None:
    """Answer, by a file where it is too long for a message."""
    if value is None:
        channel.ok()
        return
    text = json.dumps(value, allow_nan=False)
    if len(text) <= MAX_JSON:
        channel.answer(value)
        return
    path = os.path.abspath("answer.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    channel.answer({"file": path})


def _limit_memory(available: int) -> None:
    """Have an allocation fail that the machine cannot back, instead of the system
    ending some process."""
    most = available or describe.free_bytes(torch.device("cpu")) - _SPARE
    if most > 0:
        resource.setrlimit(resource.RLIMIT_DATA, (most + (1 << 30), resource.RLIM_INFINITY))


def _serve(channel: Channel, oracle: Oracle) -> None:
    while True:
        message = channel.receive()
        if message is None or message.kind == EXIT:
            return
        try:
            _reply(channel, oracle.answer(message))
        except Failure as failure:
            traceback.print_exc()
            channel.fail(failure.kind, str(failure), failure.line)
        except Exception as error:  # noqa: BLE001 - whatever it is, the judge must hear of it
            traceback.print_exc()
            kind = "out_of_memory" if is_memory(error) else "request"
            channel.fail(kind, f"{type(error).__name__}: {error}")


def main() -> None:
    """Serve the judge until it goes away."""
    options = dict(argument.split("=", 1) for argument in sys.argv[1:])
    number, available = int(options.get("device", "-1")), int(options.get("memory", "0"))
    channel = Channel()
    device = torch.device("cpu")
    try:
        if number >= 0:
            device = torch.device("cuda", number)
            torch.cuda.set_device(device)
            torch.zeros(1, device=device)
        else:
            _limit_memory(available)
        oracle = Oracle(device, available, options.get("tf32", ""), int(options.get("copies", "0")))
    except Exception as error:  # noqa: BLE001 - the driver may refuse in any way
        channel.fail("no_device", f"{type(error).__name__}: {error}")
    channel.hello()
    _serve(channel, oracle)


if __name__ == "__main__":
    main()
