"""What the dashboard costs: 1,000 streams with it and without, on a pseudo terminal, in turn."""

import dataclasses
import statistics
import sys
from pathlib import Path

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import StreamLoad

NAME = "dashboard"
STREAMS = 1_000
MOST_PERCENT = 5.0
# The tail of a thousand streams differs from run to run by about this factor.
MOST_WORSE = 1.25
# Both runs have a terminal, so that the process that reads it costs both the same.
TERMINAL = (sys.executable, str(Path(__file__).with_name("on_terminal.py")))
MODES = {"no dashboard": "none", "dashboard": "dashboard"}


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"{STREAMS:,} streams at a server's pace, with and without the dashboard")
    ours = dataclasses.replace(bench.ours, through=TERMINAL)
    server = {"ttft": 50, "itl": 10, "batch": 2 * STREAMS}
    costs: dict[str, list[float]] = {}
    tails: dict[str, list[float]] = {}
    for number in range(1, bench.rounds + 1):
        for what, ui in MODES.items():
            load = StreamLoad(STREAMS, bench.count(20 * STREAMS, 3 * STREAMS), 100, server, more_flags=f"--ui {ui}")
            seen = stream_load.observe(bench, ours, load, f"dashboard-{ui}")
            costs.setdefault(what, []).append(seen.cpu_s)
            tails.setdefault(what, []).append(truth.quantile(seen.errors.ttft, 0.99))
            result.add(bench.ours.name, f"{what}, round {number}", requests=load.requests, **seen.cells())
    without, with_it = (statistics.median(costs[what]) for what in MODES)
    basis = f"more than the {without:.3g} s without it"
    result.checks.append(Check("CPU of the dashboard", 100 * (with_it / without - 1), MOST_PERCENT, "%", basis=basis))
    tail = statistics.median(tails["no dashboard"])
    basis = f"{MOST_WORSE} x the {tail:.3g} ms without it"
    shown = statistics.median(tails["dashboard"])
    result.checks.append(Check("TTFT error, p99, with the dashboard", shown, max(MOST_WORSE * tail, 0.01), "ms", basis=basis))
    return result
