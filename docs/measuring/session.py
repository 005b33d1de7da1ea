"""A session without a person, with an endpoint whose replies are prepared."""

from __future__ import annotations

import contextlib
import http.server
import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .bench import Bench, Verdict, end

Event = dict[str, Any]


# Words a second of a reply that goes on.
WORDS = 50


@dataclass
class Script:
    """What the model says: a kernel each turn, and how."""

    kernels: list[str]
    language: str = "cuda"  # of the fence around a kernel
    pause: float = 0  # seconds before each reply, in which hone may get ready
    summary: float = 0  # seconds that each reply goes on after its kernel


@dataclass
class Turn:
    """One turn of a session: the reply's end to the verdict, in seconds, and the verdict."""

    seconds: float
    verdict: Verdict


class Model(http.server.ThreadingHTTPServer):
    """An endpoint that streams prepared kernels, one a request, and knows when each reply ended."""

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.script = script
        self.kernels = iter(script.kernels)
        self.ended: list[float] = []

    def url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answer(http.server.BaseHTTPRequestHandler):
    """One reply of the model."""

    protocol_version = "HTTP/1.0"
    server: Model

    def do_POST(self) -> None:
        """Answers a chat request with the next kernel."""
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.script.pause)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text = f"```{self.server.script.language}\n{next(self.server.kernels)}\n```\n"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for at in range(0, len(text), 512):
                self.send({"delta": {"content": text[at : at + 512]}})
            for word in range(round(self.server.script.summary * WORDS)):
                time.sleep(1 / WORDS)
                self.send({"delta": {"content": f"word{word} "}})
            self.send({"delta": {}, "finish_reason": "stop"})
            self.wfile.write(b"data: [DONE]\n\n")
        self.server.ended.append(time.monotonic())

    def send(self, choice: dict[str, Any]) -> None:
        """One piece of the stream."""
        body = json.dumps({"choices": [{"index": 0, **choice}]})
        self.wfile.write(f"data: {body}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Keeps requests out of the report."""


def refine(
    bench: Bench,
    task: str,
    script: Script,
    after: Callable[[int, int], None] = lambda turn, pid: None,
    flags: tuple[str, ...] = (),
    limit: float = threading.TIMEOUT_MAX,
) -> list[Turn]:
    """A session of one turn per kernel; `after` is called with each turn and hone's pid. One that takes longer
    than its limit has the turns that it came to."""
    turns: list[Turn] = []
    with Model(script) as model, tempfile.TemporaryFile("w+") as errors:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        command = bench.command("refine", task, "--json", "--turns", str(len(script.kernels)), *flags)
        environment = bench.environment(OPENAI_BASE_URL=model.url(), OPENAI_MODEL="m", OPENAI_API_KEY="none")
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        late = threading.Event()

        def stop() -> None:
            late.set()
            end(process)

        timer = threading.Timer(bench.left(limit), stop)
        timer.start()
        try:
            for event in events(process):
                if event["event"] == "eval.result" and event["data"]["verdict"]:
                    replied = model.ended[event["turn"] - 1]  # the next reply may have ended as well
                    turns.append(Turn(time.monotonic() - replied, event["data"]["verdict"]))
                if event["event"] == "turn.end":
                    after(event["turn"], process.pid)
        finally:
            timer.cancel()
            end(process)
            model.shutdown()
        errors.seek(0)
        if len(turns) != len(script.kernels) and not late.is_set():
            raise RuntimeError(
                f"{len(turns)} verdicts of {len(script.kernels)} turns: {errors.read()[-300:]}"
            )
    return turns


def events(process: subprocess.Popen[str]) -> Iterator[Event]:
    """The events that a session prints, as they come."""
    assert process.stdout
    for line in process.stdout:
        yield json.loads(line)
