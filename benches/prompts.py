"""What it costs to make prompts: the same requests with a prompt of their own each, less with one prompt for all."""

import artifacts
from bench import Bench
from programs import Program
from results import Check, Result, number

NAME = "prompts"
SHARE = 20
TOKENS = 1000
SERVER = {"ttft": 0, "itl": 0, "count": "approx"}


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"making prompts of {TOKENS:,} tokens")
    # As many in quick runs: a difference of two runs needs something to differ by.
    count = 1000
    made = {}
    for program in filter(None, (bench.ours, bench.theirs)):
        each, one = (_cpu(bench, program, count, entries) for entries in (count, 1))
        # Ours counts the tokens of a prompt once, so that this holds the counting of them too: against us.
        made[program.name] = each - one
        result.add(program.name, "a prompt for each request", requests=number(count), cpu=number(each))
        result.add(program.name, "one prompt for all", requests=number(count), cpu=number(one))
    if bench.theirs:
        theirs = made[bench.theirs.name]
        basis = f"1/{SHARE} of the reference's {number(theirs)}"
        what = f"CPU time of {count:,} prompts"
        result.checks.append(Check(what, made[bench.ours.name], theirs / SHARE, "s", basis=basis))
    return result


def _cpu(bench: Bench, program: Program, count: int, entries: int) -> float:
    """The least of the rounds: what disturbs a run makes it dearer."""
    return min(_run(bench, program, count, entries) for _ in range(bench.rounds))


def _run(bench: Bench, program: Program, count: int, entries: int) -> float:
    folder = bench.folder(f"prompts-{program.name}-{entries}")
    with bench.simulator(folder, **SERVER) as server:
        flags = f"--isl {TOKENS} --osl 1 --concurrency 8 --request-count {count} --num-dataset-entries {entries}"
        run = bench.profile(program, folder, server.url, flags)
    summary = artifacts.summary(folder)
    lengths = {name: artifacts.statistic(summary, "input_sequence_length", name) for name in ("min", "max")}
    if set(lengths.values()) != {TOKENS}:
        raise RuntimeError(f"{program.name} made prompts of {lengths} tokens; see {folder}")
    return run.cpu_s
