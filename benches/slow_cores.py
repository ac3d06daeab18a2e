"""Streams at the pace of a quick model on two cores, which client and simulator share: what a chunk that comes alone costs."""

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import StreamLoad

NAME = "slow-cores"
STREAMS = 1_000
PER_SECOND = 100
CORES = 2


def measure(bench: Bench) -> Result:
    tokens = bench.count(10 * PER_SECOND, PER_SECOND)
    result = Result(NAME, f"{STREAMS:,} streams of {tokens:,} tokens at {PER_SECOND} tokens/s on {CORES} cores")
    server = {"ttft": 50, "itl": 1_000 / PER_SECOND, "batch": 2 * STREAMS}
    load = StreamLoad(STREAMS, STREAMS, tokens, server, cores=stream_load.some_cores(CORES))
    ours, _ = stream_load.add_both(bench, result, f"{CORES} cores", load)
    result.checks.append(Check("CPU per chunk", ours.cpu_per_chunk_us, 8, "µs"))
    result.checks.append(Check("merged gaps", ours.errors.merged_percent, 0.1, "%"))
    result.checks.append(Check("TTFT error, p50", truth.quantile(ours.errors.ttft, 0.5), 0.1, "ms"))
    return result
