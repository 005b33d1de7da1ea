"""From a PyTorch answer to its verdict: hone beside KernelBench's own evaluator, and the turns of a session."""

from __future__ import annotations

import contextlib
import math
import os
import statistics
from pathlib import Path

from .bench import OutOfTime, Verdict, each, figure, print_stages
from .kernelbench import Answer, evaluated
from .session import Script, Turn, refine
from .torch_bench import TASKS, TorchBench, task_of

# The answers whose time to the verdict is compared. The first is what KernelBench's prompt shows.
TIMED = (
    "add/inline_example",
    "mean_square/two_stages",
    "softmax/warp_shuffles",
    "matmul/shared_tiles",
    "matmul_bias_gelu/fused_epilogue",
    "layer_norm/several_kernels",
    "column_sum/atomics",
    "multiply_add_half/pairs",
    "scale/templates",
    "add/on_current_stream",
    "conv2d/direct",
)

# Those whose session has a third turn, in which a kernel's body alone is new.
CHANGED = ("mean_square/two_stages", "softmax/warp_shuffles", "layer_norm/several_kernels")

# Seconds before each scripted reply: no model writes an answer sooner, and hone gets the next process ready.
PAUSE = 3.0

# Seconds that a reply goes on after its kernel, where it sums up: a hundred words or two.
SUMMARY = 3.0

# KernelBench compiles with two processes at a time, on a machine with a core for each of them and some to spare.
MOST_AT_ONCE = 6


def measure_latency(bench: TorchBench) -> None:
    """From an answer that no cache knows to its verdict, beside KernelBench's own evaluator."""
    files = {answer: bench.file(bench.new_text(answer)) for answer in bench.answers}
    theirs: dict[str, Answer] = {}
    if bench.emulated() or not bench.kernelbench:
        bench.print("Without KernelBench's evaluator, which needs a GPU and --kernelbench.\n")
    else:
        with contextlib.suppress(OutOfTime), bench.part(0.55):
            run_kernelbench(bench, files, theirs)
    build_what_is_kept(bench)
    with bench.part(0.65):
        race_sessions(bench, theirs)
    race_evaluations(bench, files, theirs)


# ---- KernelBench ----


def run_kernelbench(bench: TorchBench, files: dict[str, Path], theirs: dict[str, Answer]) -> None:
    """Has KernelBench evaluate every answer while hone does not run: the first one alone, then all of them,
    several at once."""

    def one(answer: str) -> Answer:
        task = TASKS / f"{task_of(answer).split('/')[1]}.py"
        return evaluated(bench, task, files[answer], bench.home / f"extensions-{files[answer].stem}", 80)

    at_once = min(bench.at_once, MOST_AT_ONCE)
    first = bench.answers[0]
    bench.print(
        f"KernelBench's evaluator while hone does not run: {first} alone, then every answer, {at_once} at once on "
        f"{os.cpu_count()} cores:\n"
    )
    bench.table(
        "answer", "at once", "eval_kernel_against_ref", "of which building", "whole process", "verdict"
    )
    alone = one(first)
    kernelbench_row(bench, first, 1, alone)
    files[first] = bench.file(bench.new_text(first))
    for answer, result in each(bench, bench.answers, one, at_once):
        theirs[answer] = result
        kernelbench_row(bench, answer, at_once, result)
    bench.print()
    if "seconds" in alone and "seconds" in theirs.get(first, {}):
        slower = theirs[first]["seconds"] / alone["seconds"]
        bench.print(f"{first} takes {slower:.2f} times as long among {at_once} as alone, for KernelBench.")
        bench.print(f"torch {alone['torch']}; replaced by stubs: {', '.join(alone['stubs']) or 'nothing'}.\n")


def kernelbench_row(bench: TorchBench, answer: str, at_once: int, result: Answer) -> None:
    """One evaluation by KernelBench."""
    cells = [figure(result.get("seconds"), 1, " s"), figure(result.get("build"), 1, " s")]
    bench.row(answer, str(at_once), *cells, figure(result["process"], 1, " s"), said(result))


def said(result: Answer) -> str:
    """KernelBench's verdict in a few words."""
    if "failed" in result:
        return f"no result: {result['failed'][-200:]}"
    return "correct" if result["correct"] else "wrong" if result["compiled"] else "not compiled"


# ---- hone beside it ----


def build_what_is_kept(bench: TorchBench) -> None:
    """The first evaluation ever, so that the others find what hone builds once."""
    answer = TIMED[0]
    try:
        seconds, verdict = bench.evaluate(
            task_of(answer), bench.file(bench.new_text(answer)), "--source", str(TASKS), limit=120
        )
        told = f"{seconds:.1f} s, {verdict['outcome']}"
    except (RuntimeError, ValueError) as error:
        told = str(error)[-300:]
    bench.print(f"The first `hone eval` on a machine, which builds what hone keeps: {told}.\n")


def race_sessions(bench: TorchBench, theirs: dict[str, Answer]) -> None:
    """The first turns of a session on each answer, which one warm judge serves."""
    bench.print(
        f"`hone refine`: end of the reply to the verdict, new texts, {PAUSE:.0f} s before each reply:\n"
    )
    bench.table(
        "answer", "first turn", "second turn", "its compile", "built by", "KernelBench", "ratio", "verdicts"
    )
    seconds: dict[str, float] = {}
    verdicts: dict[str, Verdict] = {}
    for answer in bench.answers:
        if bench.late():
            break
        turns = tried_session(bench, answer)
        if isinstance(turns, str):
            bench.row(answer, turns)
            continue
        seconds[answer], verdicts[answer] = turns[1].seconds, turns[1].verdict
        whole = (f"{turns[0].seconds:.2f} s", f"{turns[1].seconds:.2f} s")
        bench.row(answer, *whole, *built(turns[1].verdict), *beside(turns[1], theirs.get(answer)))
    bench.print()
    conclude(bench, seconds, verdicts, theirs)
    if seconds:
        bench.print("Second turns by stage:\n")
        print_stages(bench, list(seconds.values()), list(verdicts.values()))


def tried_session(bench: TorchBench, answer: str, summary: float = 0) -> list[Turn] | str:
    """A session's turns, or why there are none."""
    try:
        return session(bench, answer, summary)
    except OutOfTime:
        return "not reached"
    except RuntimeError as error:
        return str(error)[-200:]


def session(bench: TorchBench, answer: str, summary: float = 0) -> list[Turn]:
    """The turns of one session: two new texts, and one in which a kernel's body alone is new for some."""
    if (answer, summary) not in bench.sessions:
        texts = [bench.new_text(answer) for _ in range(2)]
        if answer in CHANGED:
            texts.append(device_variant(texts[-1], bench.texts))
        flags = ("--source", str(TASKS), "--dialect", "torch")
        script = Script(texts, "python", PAUSE, summary)
        turns = refine(bench, task_of(answer), script, flags=flags, limit=150)
        if len(turns) < 2:
            bench.left()
            raise RuntimeError(f"{len(turns)} verdicts within the limit")
        bench.sessions[answer, summary] = turns
    return bench.sessions[answer, summary]


def device_variant(text: str, number: int) -> str:
    """The same answer with another body of its first kernel, and nothing else changed."""
    at = text.index("{", text.index("__global__")) + 1
    return f"{text[:at]} const int variant{number} = {number}; (void)variant{number};{text[at:]}"


def race_evaluations(bench: TorchBench, files: dict[str, Path], theirs: dict[str, Answer]) -> None:
    """A whole `hone eval` of each answer."""
    bench.print("`hone eval`, a new process and a new text each time:\n")
    bench.table("answer", "whole", "its compile", "built by", "KernelBench", "ratio", "verdicts")
    seconds: dict[str, float] = {}
    verdicts: dict[str, Verdict] = {}
    for answer in bench.answers:
        try:
            whole, verdict = bench.evaluate(task_of(answer), files[answer], "--source", str(TASKS), limit=150)
        except OutOfTime:
            break
        except (RuntimeError, ValueError) as error:
            bench.row(answer, str(error)[-200:])
            continue
        seconds[answer], verdicts[answer] = whole, verdict
        turn = Turn(whole, verdict)
        bench.row(answer, f"{whole:.2f} s", *built(verdict), *beside(turn, theirs.get(answer)))
    bench.print()
    conclude(bench, seconds, verdicts, theirs)


def built(verdict: Verdict) -> tuple[str, str]:
    """The milliseconds of the compile stage, and what built the extension."""
    for stage in verdict["stages"]:
        if stage["name"] == "compile":
            return f"{stage['ms']:.0f} ms", stage["detail"]
    return "unknown", ""


def beside(turn: Turn, theirs: Answer | None) -> tuple[str, str, str]:
    """What a table tells of KernelBench's evaluation: its seconds, the ratio and both verdicts."""
    outcome = turn.verdict["outcome"]
    if theirs is None or "failed" in theirs:
        return "no result", "", outcome
    both = (
        f"both {outcome}"
        if (outcome, said(theirs)) == ("correct", "correct")
        else f"{outcome}; {said(theirs)}"
    )
    return f"{theirs['seconds']:.1f} s", f"{theirs['seconds'] / turn.seconds:.1f}x", both


def conclude(
    bench: TorchBench, seconds: dict[str, float], verdicts: dict[str, Verdict], theirs: dict[str, Answer]
) -> None:
    """The mean of the ratios, and where the verdicts differ."""
    known = {answer: theirs[answer] for answer in seconds if "seconds" in theirs.get(answer, {})}
    bench.print(f"{len(seconds)} of {len(bench.answers)} answers reached.")
    if known:
        ratios = [result["seconds"] / seconds[answer] for answer, result in known.items()]
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        bench.print(f"Geometric mean of {len(ratios)} ratios: {mean:.1f}, least {min(ratios):.1f}.")
    different = [
        answer
        for answer, result in known.items()
        if (verdicts[answer]["outcome"] == "correct") != result["correct"]
    ]
    if known:
        bench.print(f"Same verdict for {len(known) - len(different)} of {len(known)}.")
    for answer in different:
        bench.print(f"- {answer}: hone: {verdicts[answer]['summary']}; KernelBench: {known[answer]['why']}")
    bench.print()


# ---- the turns of a session ----


def measure_turns(bench: TorchBench) -> None:
    """Turns of one judge: new texts, and a kernel's body alone new; of replies that end with it, and that go on."""
    bench.table(
        "answer",
        "turn",
        "after its kernel",
        "end of the reply to the verdict",
        "compile",
        "built by",
        "outcome",
    )
    for answer in CHANGED:
        for summary in (0, SUMMARY):
            turns = tried_session(bench, answer, summary)
            if isinstance(turns, str):
                bench.row(answer, turns)
                continue
            for name, turn in zip(("first", "second, new text", "third, a kernel's body new"), turns):
                whole = f"{1000 * turn.seconds:.0f} ms"
                after = f"{summary:.0f} s of words" if summary else "nothing"
                bench.row(answer, name, after, whole, *built(turn.verdict), turn.verdict["outcome"])
    bench.print()
