"""Ten thousand streams at the speed of a reader: times, memory and losses."""

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import StreamLoad

NAME = "ten-thousand"
STREAMS = 10_000
TOKENS = 200
MANY_CORES = 16


def measure(bench: Bench) -> Result:
    streams, tokens = bench.count(STREAMS, 1_000), bench.count(TOKENS, 50)
    result = Result(NAME, f"{streams:,} streams of {tokens} tokens at 50 tokens/s")
    cores = stream_load.core_count()
    server = {"ttft": 50, "itl": 20, "batch": 2 * streams}
    load = StreamLoad(streams, streams, tokens, server, threads=max(1, cores // 4))
    ours, _ = stream_load.add_both(bench, result, f"{cores} cores", load)
    errors = ours.errors
    result.checks.append(Check("streams whole on both sides", errors.whole, streams, "", at_least=True))
    if cores >= MANY_CORES:
        result.checks.append(Check("start to arrival, p50", truth.quantile(errors.send, 0.5), 0.5, "ms"))
        result.checks.append(Check("start to arrival, p99", truth.quantile(errors.send, 0.99), 2, "ms"))
        result.checks.append(Check("gap error, p99", truth.quantile(errors.gap, 0.99), 0.01, "ms"))
        result.checks.append(Check("peak RSS", ours.run.peak_rss_mb, 350, "MB"))
    return result
