"""Streams of 100 chunks, parsed and token-counted: what a chunk costs the client, at full speed and at a server's pace."""

import artifacts
from bench import Bench
from programs import Program
from results import Check, Result, number

NAME = "streams"
CHUNKS = 100
CONCURRENCY = 100
FLAGS = f"--streaming --isl 32 --osl {CHUNKS} --concurrency {CONCURRENCY} --num-dataset-entries 100"
# At full speed several chunks come in one read. 5 ms apart, with a thread to spare on both sides, each comes alone and finds
# the client asleep: waking it is part of the cost.
SERVERS = {"no latency": {"ttft": 0, "itl": 0}, "5 ms apart": {"ttft": 5, "itl": 5}}
SHARE = 15


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"streams of {CHUNKS} chunks, {CONCURRENCY} at once, parsed and counted")
    many, few = bench.count(4_000, 600), bench.count(600, 200)
    for pace, server in SERVERS.items():
        ours = _cost(bench, result, bench.ours, pace, server, many, startup=0.0)
        if bench.theirs:
            # Starting costs it more than the streams do, so that is taken off: in its favour.
            theirs = _cost(bench, result, bench.theirs, pace, server, few, bench.startup(bench.theirs)[1])
            basis = f"1/{SHARE} of the reference's {number(theirs)}"
            result.checks.append(Check(f"CPU per chunk, {pace}", ours, theirs / SHARE, "µs", basis=basis))
    return result


def _cost(
    bench: Bench, result: Result, program: Program, pace: str, options: dict, count: int, startup: float
) -> float:
    """CPU microseconds per chunk."""
    folder = bench.folder(f"streams-{program.name}")
    with bench.simulator(folder, **options) as server:
        run = bench.profile(program, folder, server.url, f"{FLAGS} --request-count {count}")
    summary = artifacts.summary(folder)
    tokens = artifacts.statistic(summary, "total_output_tokens")
    if tokens != count * CHUNKS:
        raise RuntimeError(f"{program.name} counted {tokens:.0f} tokens of {count * CHUNKS}; see {folder}")
    cost = max(0.0, run.cpu_s - startup) / tokens * 1e6
    result.add(
        program.name, pace + (", less start-up" if startup else ""), requests=count,
        rate=artifacts.statistic(summary, "request_throughput"), cpu_per_chunk=cost,
        rss=run.peak_rss_mb, wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    return cost
