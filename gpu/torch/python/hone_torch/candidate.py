"""The candidate: a contained process that runs one answer for the judge.

It is started with torch imported and waits. Load names the answer; map gives it
buffers of the judge, for inputs, state and outputs; call and time run forward on
them. It never sees what the outputs should be.

    python -m hone_torch.candidate device=<-1|number> memory=<bytes> file=<bytes> contain=<path> read=<path>...
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import torch

from . import timing, triton_needs
from .answer import Answer, Emulated, Failure, Task, warm_up
from .containment import Containment
from .inline_hook import Hook, extension_module, line_of_call
from .launches import Launches
from .memory import DTYPES, Buffer, Set, Sets
from .outputs import Span, deliver
from .wire import CALL, LOAD, MAP, TIME, Channel, Message

_MAX_DESCRIPTION = 16 << 20
_MAX_UNMATCHED = 256

_leave = os._exit  # the answer's os._exit is another


class Options:
    """The arguments of the command line."""

    def __init__(self, arguments: Sequence[str]) -> None:
        given = [(name, value) for name, _, value in (a.partition("=") for a in arguments)]
        single = dict(given)
        self.device = int(single.get("device", "-1"))
        self.memory, self.file = int(single.get("memory", "0")), int(single.get("file", "0"))
        self.contain = single.get("contain", "")
        self.read = [value for name, value in given if name == "read"]


class Description:
    """What the task takes and gives: see the Go type Description."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.inputs: list[dict[str, Any]] = value["inputs"] or []
        self.tensors = [i["tensor"] for i in self.inputs if i["kind"] == "tensor"]
        self.state: list[dict[str, Any]] = value["state"] or []
        self.outputs: list[dict[str, Any]] = value["outputs"] or []

    def check(self, mapped: Set) -> None:
        """See that a set has a buffer for each tensor; state may be missing."""
        for name, specs in (("inputs", self.tensors), ("state", self.state), ("outputs", self.outputs)):
            count = len(mapped.group(name))
            if count != len(specs) and (name != "state" or count > 0):
                raise ValueError(f"a set has {count} buffers for {len(specs)} tensors: {name}")


class Weights:
    """The tensors of a model that have the name and the shape of the reference's state."""

    def __init__(self, specs: list[dict[str, Any]], own: dict[str, torch.Tensor]) -> None:
        self._matched: list[tuple[int, dict[str, Any], torch.Tensor]] = []
        self.unmatched: list[str] = []
        for i, spec in enumerate(specs):
            tensor = own.get(spec["name"])
            if tensor is not None and list(tensor.shape) == spec["shape"]:
                self._matched.append((i, spec, tensor))
            else:
                self.unmatched.append(spec["name"])

    def copy(self, state: Sequence[Buffer]) -> None:
        """Give the tensors what the reference has."""
        with torch.no_grad():
            for i, spec, tensor in self._matched:
                state[i].fetch()
                tensor.copy_(_tensor(state[i], spec))


def _tensor(buffer: Buffer, spec: dict[str, Any]) -> torch.Tensor:
    return buffer.tensor(DTYPES[spec["dtype"]], spec["shape"])


class Loaded:
    """An answer that was loaded, with all that calls of it need."""

    def __init__(self, answer: Answer, task: Task, description: Description, aliases: bool) -> None:
        self.answer, self._task, self.description, self._aliases = answer, task, description, aliases
        self.weights = Weights(description.state, answer.state())

    def arguments(self, chosen: Set) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Forward's arguments, with the inputs of a set."""
        buffers = chosen.group("inputs")
        return self._task.arguments.with_tensors(
            [_tensor(b, spec) for b, spec in zip(buffers, self.description.tensors)]
        )

    def deliver(self, chosen: Set, result: Any) -> None:
        """Put what forward returned into the buffers of a set."""
        taboo = [] if self._aliases else list(_lent_for_reading(chosen))
        deliver(result, self.description.outputs, chosen.group("outputs"), taboo)


def _places(chosen: Set) -> Iterator[tuple[str, int, int, bool]]:
    """Where the buffers of a set lie: name, address, bytes, whether they may be written."""
    for group, word in (("inputs", "input"), ("state", "state"), ("outputs", "output")):
        for b in chosen.group(group):
            address = b.tensor(torch.uint8, [b.spec.size]).data_ptr()
            yield f"{word} {b.spec.name}", address, b.spec.size, b.spec.writable


def _lent_for_reading(chosen: Set) -> Iterator[Span]:
    """The memory that outputs must not lie in."""
    for name, address, size, writable in _places(chosen):
        if size > 0 and not writable:
            yield name, address, address + size


class Candidate:
    """One answer and the judge's buffers."""

    def __init__(
        self, channel: Channel, device: torch.device, containment: Containment, read: Sequence[str]
    ) -> None:
        self._channel, self._device = channel, device
        self._containment, self._read = containment, read
        self._sets = Sets(device)
        self._loaded: Loaded | None = None
        self._clocks: dict[int, timing.Clock] = {}

    def handle(self, message: Message) -> None:
        """Do what a message asks for, and answer it."""
        if message.kind == LOAD:
            self._load(message)
        elif message.kind == MAP:
            self._map(message)
        elif message.kind == CALL:
            self._call(message.value())
        elif message.kind == TIME:
            self._time(message.value())

    def _load(self, message: Message) -> None:
        request, description = message.value(), _received(message)
        path, reference = str(request["answer"]), str(request["reference"])
        with open(path, encoding="utf-8", errors="replace") as file:
            hook = Hook(self._channel, path, file.read())
        hook.install()
        _report_exit(self._channel, path)
        if request["programs"]:
            triton_needs.show_driver()
        self._containment.seal([path, reference, *self._read], self._device, bool(request["programs"]))
        task, initial = _task(reference, self._device, description)
        answer = Answer(path, self._device, _emulated(self._device))
        answer.execute()
        answer.build(initial)
        with answer.blamed("init"):
            self._synchronize()
        self._loaded = Loaded(answer, task, description, bool(request["aliases"]))
        unmatched = self._loaded.weights.unmatched[:_MAX_UNMATCHED]
        self._channel.answer({"unmatched": unmatched, "builds": hook.built, "failed_builds": hook.failed})

    def _map(self, message: Message) -> None:
        self._the_loaded().description.check(self._sets.take(message))
        places = [place for i in range(len(self._sets)) for place in _places(self._sets[i])]
        self._containment.name_buffers(places)
        self._channel.ok()

    def _call(self, request: dict[str, Any]) -> None:
        loaded, chosen = self._the_loaded(), self._sets[int(request["set"])]
        self._prepare(loaded, chosen)
        arguments = loaded.arguments(chosen)
        launches = Launches() if request.get("kernels") else contextlib.nullcontext()
        started = timing.now()
        with loaded.answer.blamed("runtime"), launches:
            for _ in range(max(1, int(request.get("repeat", 1)))):
                result = loaded.answer.forward(arguments)
            self._synchronize()
        wall = timing.now() - started
        self._deliver(loaded, chosen, result)
        self._channel.answer({"wall_ns": wall, "kernels": getattr(launches, "lines", [])})

    def _time(self, request: dict[str, Any]) -> None:
        loaded, sets = self._the_loaded(), [self._sets[i] for i in range(len(self._sets))]
        plan = timing.Plan(request, len(sets))
        clock = self._clock(plan.l2)
        for chosen in sets:
            self._prepare(loaded, chosen)
        calls = [functools.partial(loaded.answer.forward, loaded.arguments(chosen)) for chosen in sets]
        with loaded.answer.blamed("runtime"):
            result = timing.times(
                plan, clock, calls, lambda i, output: self._deliver(loaded, sets[i], output)
            )
        self._channel.answer(result)

    def _the_loaded(self) -> Loaded:
        if self._loaded is None:
            raise ValueError("no answer has been loaded")
        return self._loaded

    def _clock(self, l2: int) -> timing.Clock:
        if l2 not in self._clocks:
            self._clocks[l2] = timing.clock_of(self._device, l2)
        return self._clocks[l2]

    def _prepare(self, loaded: Loaded, chosen: Set) -> None:
        """Take a set's inputs, and give the model the state, that of set 0 where the set
        has none."""
        for buffer in chosen.group("inputs"):
            buffer.fetch()
        state = chosen.group("state") or self._sets[0].group("state")
        if state:
            loaded.weights.copy(state)

    def _deliver(self, loaded: Loaded, chosen: Set, result: Any) -> None:
        loaded.deliver(chosen, result)
        self._synchronize()
        for buffer in chosen.group("outputs"):
            buffer.return_()

    def _synchronize(self) -> None:
        """Have faults of the device show themselves."""
        if self._device.type == "cuda":
            timing.synchronize(self._device)


def _received(message: Message) -> Description:
    """The description, which came as a descriptor."""
    with open(message.descriptors[0], "rb", closefd=False) as file:
        file.seek(0)
        description = json.loads(file.read(_MAX_DESCRIPTION))
    message.close()
    return Description(description)


def _task(
    path: str, device: torch.device, description: Description
) -> tuple[Task, tuple[tuple[Any, ...], dict[str, Any]]]:
    """The task, and what its models are built with. The oracle has run all this before."""
    try:
        task = Task(path, device, description.inputs)
        return task, task.initial()
    except Exception as error:
        raise Failure("request", f"the task's reference: {type(error).__name__}: {error}") from error


def _report_exit(channel: Channel, path: str) -> None:
    """Have os._exit say that it was called."""

    def leave(status: int) -> NoReturn:
        end(channel, Failure("exit", f"the answer called os._exit({status})", line_of_call(path)))

    os._exit = leave


def _emulated(device: torch.device) -> Emulated:
    """The context in which an answer's code runs."""
    if device.type != "cpu":
        return contextlib.nullcontext
    from .cpu_as_cuda import CPUAsCUDA

    return CPUAsCUDA


def prepare(number: int, channel: Channel) -> torch.device:
    """The device, ready to be used."""
    if why := "Triton needs a GPU" if number < 0 else triton_needs.missing():
        _refuse_triton(why)  # before torch imports it
    warm_up()
    if number < 0:
        from . import cpu_as_cuda

        extension_module()
        cpu_as_cuda.install()
        return torch.device("cpu")
    device = torch.device("cuda", number)
    try:
        torch.cuda.set_device(device)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        end(channel, Failure("no_device", str(error)))
    extension_module()
    return device


def _refuse_triton(why: str) -> None:
    sys.meta_path.insert(0, triton_needs.Refusal(why))  # type: ignore[arg-type]


def end(channel: Channel, failure: Failure) -> NoReturn:
    """Say why this process can do no more, and leave."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    channel.fault(failure.kind, str(failure), failure.line)
    _leave(1)


def main() -> None:
    """Contain this process, greet, and do what the judge asks for."""
    options = Options(sys.argv[1:])
    sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]
    warnings.simplefilter("ignore")
    channel = Channel()
    device = prepare(options.device, channel)
    containment = Containment(options.contain)
    channel.hello(containment.apply(options.memory, options.file, device))
    candidate = Candidate(channel, device, containment, options.read)
    while True:
        message = channel.receive()
        if message is None or message.kind not in (LOAD, MAP, CALL, TIME):
            _leave(0)
        try:
            candidate.handle(message)
        except Failure as failure:
            end(channel, failure)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the request is told
            end(channel, Failure("request", f"{type(error).__name__}: {error}"))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
