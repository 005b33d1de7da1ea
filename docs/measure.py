"""Measures what docs/measurements.md states about the program itself.

Run it on a quiet machine, from the root of the repository:

    make measure

It drives bin/hone in a pseudo-terminal of 200x60 and needs Python 3.9 and Linux
(processor times come from /proc). Times of kernels are the CPU emulation's.
"""

from __future__ import annotations

import fcntl
import http.server
import json
import os
import platform
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HONE = ROOT / "bin" / "hone"
KERNEL = ROOT / "gpu" / "testdata" / "kernels" / "softmax" / "tuned.cu"
TICK = os.sysconf("SC_CLK_TCK")
COLUMNS, ROWS = 200, 60


class Terminal:
    """The binary on a pseudo-terminal."""

    def __init__(self, home: Path, *arguments: str, **variables: str) -> None:
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(HONE, [str(HONE), *arguments], {**environment(home), **variables})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.seen = b""

    def read(self, seconds: float) -> bytes:
        """What comes within a time, at once if anything is there."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        try:
            data = os.read(self.fd, 1 << 16) if ready else b""
        except OSError:
            data = b""
        self.seen += data
        return data

    def until(self, text: str, limit: float = 60) -> float:
        """Waits for a text in what comes from now on; seconds it took."""
        begun = time.monotonic()
        mark = len(self.seen)
        while text.encode() not in self.seen[mark:]:
            if time.monotonic() - begun > limit:
                sys.exit(f"{text!r} never came")
            self.read(0.05)
        return time.monotonic() - begun

    def drain(self, seconds: float) -> None:
        """Reads for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)

    def processor(self) -> float:
        """Seconds of processor time of the program, its judge not counted."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> float:
        """Resident memory in MiB."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)

    def close(self) -> None:
        """Ends the program."""
        os.kill(self.pid, signal.SIGTERM)
        while True:
            self.read(0.02)
            done, _ = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self.fd)
                return


def environment(home: Path) -> dict[str, str]:
    """A fresh person's environment."""
    return {
        "PATH": os.environ["PATH"],
        "HONE_DEVICE": "emulated",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "HONE_RUNS": str(home / "runs"),
        "HONE_CACHE": str(home / "cache"),
    }


def spread(values: list[float], unit: str, scale: float = 1) -> str:
    """Median and range of some figures."""
    scaled = sorted(v * scale for v in values)
    return f"{statistics.median(scaled):.1f} {unit} ({scaled[0]:.1f} to {scaled[-1]:.1f}, n={len(scaled)})"


def report(what: str, figure: str) -> None:
    """One row of the table in docs/measurements.md."""
    print(f"| {what} | {figure} |", flush=True)


def run(home: Path, *arguments: str) -> tuple[float, bytes]:
    """Seconds and output of a command."""
    begun = time.monotonic()
    done = subprocess.run([HONE, *arguments], env=environment(home), capture_output=True, check=False)
    return time.monotonic() - begun, done.stdout


def measure_start(home: Path) -> None:
    """How fast the program is there."""
    report(
        "`hone version`",
        spread([run(home, "version")[0] for _ in range(20)], "ms", 1000),
    )
    frames = []
    for _ in range(10):
        terminal = Terminal(home)
        terminal.until("tasks")
        frames.append(time.monotonic() - terminal.started)
        terminal.close()
    report("first frame, task list, 200x60", spread(frames, "ms", 1000))


def evaluate(home: Path) -> tuple[float, dict[str, float]]:
    """Seconds of a whole evaluation, and milliseconds of its stages."""
    seconds, out = run(home, "eval", "softmax", str(KERNEL), "--json")
    verdict = json.loads(out)
    if verdict["outcome"] != "correct":
        sys.exit(f"the kernel is not correct: {verdict['summary']}")
    return seconds, {stage["name"]: stage["ms"] for stage in verdict["stages"]}


def measure_evaluation(home: Path) -> None:
    """A verdict on the row softmax: everything new, all but the emulator new, nothing new."""
    kernels = home / "cache" / "kernels"
    first, _ = evaluate(home)
    report("first evaluation ever: the emulator is built too", f"{first:.1f} s")
    cold, compiles = [], []
    for _ in range(7):
        shutil.rmtree(kernels, ignore_errors=True)
        seconds, stages = evaluate(home)
        cold.append(seconds)
        compiles.append(stages["compile"])
    report("`hone eval softmax`, nothing of it cached", spread(cold, "ms", 1000))
    report("of which compile", spread(compiles, "ms"))
    again = [evaluate(home)[0] for _ in range(7)]
    report("the same text again", spread(again, "ms", 1000))


class Model(http.server.BaseHTTPRequestHandler):
    """A model that streams one long kernel, 500 tokens a second."""

    protocol_version = "HTTP/1.0"
    line = ("    acc", "[i]", " =", " fmaf", "(a", "[i],", " b", "[j],", " acc", "[i]);\n")

    def do_POST(self) -> None:
        """Answers a chat request."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        pieces = ["```cuda\n", *self.line * 600]
        begun = time.monotonic()
        try:
            for i, piece in enumerate(pieces):
                body = json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]})
                self.wfile.write(f"data: {body}\n\n".encode())
                time.sleep(max(0, begun + (i + 1) / 500 - time.monotonic()))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *_: object) -> None:
        """Keeps requests out of the report."""


def measure_streaming(home: Path) -> None:
    """Processor time and response of the screen while a reply streams."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        shares, delays = [], []
        for _ in range(3):
            model = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_MODEL": "m"}
            terminal = Terminal(home, "softmax", **model)
            terminal.until("tok/s")
            before, begun = terminal.processor(), time.monotonic()
            terminal.drain(5)
            shares.append((terminal.processor() - before) / (time.monotonic() - begun))
            for _ in range(5):
                os.write(terminal.fd, b"?")
                delays.append(terminal.until("filter", 5))
                os.write(terminal.fd, b"\x1b")
                terminal.drain(0.15)
            terminal.close()
        server.shutdown()
    report("streaming 500 tokens/s at 200x60", spread(shares, "% of a core", 100))
    report("key to frame while streaming", spread(delays, "ms", 1000))


def measure_idle(home: Path) -> None:
    """An open session in which nothing moves."""
    terminal = Terminal(home, "demo", "softmax", "--rate", "4000")
    terminal.until("did not compile", 60)
    terminal.drain(3)
    before, begun = terminal.processor(), time.monotonic()
    terminal.drain(20)
    share = (terminal.processor() - before) / (time.monotonic() - begun)
    report(
        "idle session, 20 s",
        f"{100 * share:.2f} % of a core, {terminal.memory():.0f} MiB",
    )
    terminal.close()


def main() -> None:
    """Measures everything in a home of its own."""
    cores = os.cpu_count()
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {cores} cores, Linux {platform.release()}\n")
    print("| what | measured |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        measure_start(home)
        measure_evaluation(home)
        measure_streaming(home)
        measure_idle(home)


if __name__ == "__main__":
    main()
