"""What watching a run costs: 1,000 streams with the dashboard on and the page open, against both off, in turn."""

import contextlib
import dataclasses
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import StreamLoad

NAME = "views"
STREAMS = 1_000
MOST_PERCENT = 5.0
# The tail of a thousand streams differs from run to run by about this factor.
MOST_WORSE = 1.25
HERE = Path(__file__).parent
# All runs have a terminal, so that the process that reads it costs all of them the same.
TERMINAL = (sys.executable, str(HERE / "on_terminal.py"))
PAGE = HERE / "open_page.py"
OFF, BOTH = "both off", "dashboard and page"
MODES = (OFF, "dashboard", BOTH)
# On all cores of a large machine one and the same run costs up to 30 % more or less, by where its threads come to lie.
CORES = 4
ROUNDS = 5
# The threads that exist for the sake of those who watch.
VIEW_THREADS = ("live", "dashboard", "api")


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"{STREAMS:,} streams at a server's pace: dashboard and page on, and both off")
    ours = dataclasses.replace(bench.ours, through=TERMINAL)
    server = {"ttft": 50, "itl": 10, "batch": 2 * STREAMS}
    costs: dict[str, list[float]] = {}
    tails: dict[str, list[float]] = {}
    views: dict[str, list[float]] = {}
    for number in range(1, bench.count(ROUNDS, 1) + 1):
        # Every second round goes the other way, so that a machine that grows slower or quicker does not look like the cost of a view.
        for what in MODES if number % 2 else MODES[::-1]:
            with open_page(what == BOTH) as page:
                ui = "none" if what == OFF else "dashboard"
                more_flags = f"--ui {ui} {page.flags}"
                requests, cores = bench.count(20 * STREAMS, 3 * STREAMS), stream_load.some_cores(CORES)
                load = StreamLoad(STREAMS, requests, 100, server, cores=cores, more_flags=more_flags)
                seen = stream_load.observe(bench, ours, load, f"views-{what.replace(' ', '-')}")
            if page.said and page.said not in result.notes:
                result.notes.append(page.said)
            costs.setdefault(what, []).append(seen.cpu_s)
            view_s = sum(seen.run.thread_cpu_s.get(thread, 0.0) for thread in VIEW_THREADS)
            views.setdefault(what, []).append(view_s)
            tails.setdefault(what, []).append(truth.quantile(seen.errors.ttft, 0.99))
            result.add(bench.ours.name, f"{what}, round {number}", requests=load.requests, view_cpu=view_s, **seen.cells())
    without = statistics.median(costs[OFF])
    for what in MODES[1:]:
        more = 100 * (statistics.median(costs[what]) / without - 1)
        result.checks.append(Check(f"CPU, {what}", more, MOST_PERCENT, "%", basis=f"more than the {without:.3g} s with both off"))
    threads = statistics.median(100 * view / (all_of_it - view) for view, all_of_it in zip(views[BOTH], costs[BOTH], strict=True))
    basis = "of what the other threads of the run take"
    result.checks.append(Check(f"CPU of the threads of the views, {BOTH}", threads, MOST_PERCENT, "%", basis=basis))
    tail = statistics.median(tails[OFF])
    basis = f"{MOST_WORSE} x the {tail:.3g} ms with both off"
    shown = statistics.median(tails[BOTH])
    result.checks.append(Check(f"TTFT error, p99, {BOTH}", shown, max(MOST_WORSE * tail, 0.01), "ms", basis=basis))
    return result


@dataclasses.dataclass
class OpenPage:
    """The page of a run in another process, whose CPU is not that of the run."""

    flags: str = ""
    # Who held the page open, and how often it got the state of the run.
    said: str = ""


@contextlib.contextmanager
def open_page(is_open: bool) -> Iterator[OpenPage]:
    if not is_open:
        yield OpenPage()
        return
    port = free_port()
    page = OpenPage(f"--api-port {port} --api-linger 0")
    reader = subprocess.Popen([sys.executable, str(PAGE), f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True)
    try:
        yield page
        page.said = reader.communicate(timeout=60)[0].strip()
        if reader.returncode != 0:
            raise RuntimeError(f"the page was not open during the run: {page.said}")
    finally:
        reader.kill()
        reader.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
