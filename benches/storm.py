"""All streams start at the same instant: how far the stated start of a request lies before its arrival at the server."""

import stream_load
import truth
from bench import Bench
from results import Check, Result
from stream_load import Observed, StreamLoad

NAME = "storm"
STREAMS = 1_000
SERVER = {"ttft": 50, "itl": 10, "batch": 2 * STREAMS}
FEW_CORES = 2
# Bounds of the whole machine hold with this many cores.
MANY_CORES = 16


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"{STREAMS:,} streams of 100 chunks start at once (ttft 50 ms, itl 10 ms)")
    many = stream_load.core_count()
    places = [(f"{many} cores", None)]
    if many > FEW_CORES:
        places.append((f"{FEW_CORES} cores", stream_load.some_cores(FEW_CORES)))
    for what, cores in places:
        # One thread of the simulator answers all of them, so that the server is the same with any number of cores.
        load = StreamLoad(STREAMS, STREAMS, 100, SERVER, cores=cores)
        ours, _ = stream_load.add_both(bench, result, what, load)
        _check(result, what, ours, is_few=cores is not None or many <= FEW_CORES, many=many)
        if bench.ours.has_option("--preconnect"):
            ahead = StreamLoad(STREAMS, STREAMS, 100, SERVER, cores=cores, more_flags="--preconnect")
            connected = stream_load.observe(bench, bench.ours, ahead, f"storm-preconnect-{what[:2].strip()}")
            result.add(bench.ours.name, f"{what}, --preconnect", requests=STREAMS, **connected.cells())
            if cores is None and many >= MANY_CORES:
                issue = truth.quantile(connected.errors.issue, 0.99)
                result.checks.append(Check(f"{what}, --preconnect: credit to start, p99", issue, 1, "ms"))
    return result


def _check(result: Result, what: str, ours: Observed, is_few: bool, many: int) -> None:
    send = truth.quantile(ours.errors.send, 0.99)
    if is_few:
        result.checks.append(Check(f"{what}: start to arrival, p99", send, 3, "ms"))
        result.checks.append(Check(f"{what}: merged gaps", ours.errors.merged_percent, 0.1, "%"))
    elif many >= MANY_CORES:
        result.checks.append(Check(f"{what}: start to arrival, p99", send, 0.3, "ms"))
        issue = truth.quantile(ours.errors.issue, 0.99)
        result.checks.append(Check(f"{what}: credit to start, p99", issue, 3, "ms"))
