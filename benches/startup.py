"""The cost of starting: a run of ten requests."""

from bench import Bench
from results import Check, Result, number

NAME = "startup"
SHARE = 20


def measure(bench: Bench) -> Result:
    result = Result(NAME, "a run of 10 requests")
    costs = {}
    for program in filter(None, (bench.ours, bench.theirs)):
        costs[program.name] = wall, cpu = bench.startup(program)
        result.add(program.name, "10 requests", requests=10, wall=wall, cpu=cpu)
    if bench.theirs:
        for index, what in enumerate(("wall time", "CPU time")):
            theirs = costs[bench.theirs.name][index]
            basis = f"1/{SHARE} of the reference's {number(theirs)}"
            result.checks.append(Check(what, costs[bench.ours.name][index], theirs / SHARE, "s", basis=basis))
    return result
