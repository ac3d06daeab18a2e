"""A million chunks a second for twenty seconds, from one client: how far it gets."""

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import StreamLoad

NAME = "million-chunks"
STREAMS = 10_000
PER_SECOND = 100
SECONDS = 20
MANY_CORES = 16


def measure(bench: Bench) -> Result:
    cores = stream_load.core_count()
    # Fewer streams on fewer cores: what is asked of each core is the same.
    streams = bench.count(min(STREAMS, STREAMS * cores // MANY_CORES), 500)
    seconds = bench.count(SECONDS, 3)
    rate = streams * PER_SECOND
    result = Result(NAME, f"{streams:,} streams at {PER_SECOND} tokens/s, {rate:,} chunks/s for {seconds} s")
    server = {"ttft": 200, "itl": 1_000 / PER_SECOND, "batch": 2 * streams}
    load = StreamLoad(streams, streams, seconds * PER_SECOND, server, threads=max(1, cores // 2))
    ours, _ = stream_load.add_both(bench, result, f"{cores} cores", load)
    result.checks.append(Check("streams whole on both sides", ours.errors.whole, streams, "", at_least=True))
    # Streams start one after the other, so that the first and the last of them have fewer company.
    result.checks.append(Check("chunks/s", ours.errors.chunk_rate, 0.97 * rate, "/s", at_least=True))
    if cores >= MANY_CORES:
        result.checks.append(Check("TTFT error, p99", truth.quantile(ours.errors.ttft, 0.99), 2, "ms"))
        result.checks.append(Check("merged gaps", ours.errors.merged_percent, 0.1, "%"))
    return result
