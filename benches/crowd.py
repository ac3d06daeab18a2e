"""Many streams at once: are all of them in flight, is each chunk noticed when it comes, is none lost."""

import artifacts
import truth
from bench import Bench
from programs import Program
from results import Check, Result, number

NAME = "crowd"
STREAMS = 1_000
GREAT = 10_000
FLAGS = f"--streaming --isl 32 --osl 100 --concurrency {STREAMS} --num-dataset-entries 100"
SERVER = {"ttft": 50, "itl": 10, "batch": 2 * GREAT}
SHARE = 50


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"{STREAMS:,} streams at once (ttft 50 ms, itl 10 ms), then {GREAT:,}")
    ours, in_flight = _thousand(bench, result, bench.ours, bench.count(5_000, 2_000))
    p50, p99 = truth.quantile(ours, 0.5), truth.quantile(ours, 0.99)
    result.checks.append(Check("streams in flight", in_flight, STREAMS, "", at_least=True))
    result.checks.append(Check("TTFT error, p50", p50, 0.5, "ms"))
    if bench.theirs:
        theirs, _ = _thousand(bench, result, bench.theirs, bench.count(2_000, 1_000))
        bound = truth.quantile(theirs, 0.99)
        basis = f"1/{SHARE} of the reference's {number(bound)}"
        result.checks.append(Check("TTFT error, p99", p99, bound / SHARE, "ms", basis=basis))
    _ten_thousand(bench, result)
    return result


def _thousand(bench: Bench, result: Result, program: Program, count: int) -> tuple[list[float], int]:
    folder = bench.folder(f"crowd-{program.name}")
    with bench.simulator(folder, keep_truth=True, **SERVER) as server:
        run = bench.profile(program, folder, server.url, f"{FLAGS} --request-count {count}")
    requests = server.requests()
    errors = truth.errors(artifacts.records(folder), requests)
    in_flight = max(request["in_flight"] for request in requests)
    ttft = [truth.quantile(errors.ttft, share) for share in (0.5, 0.99, 1.0)]
    send = [truth.quantile(errors.send, share) for share in (0.5, 0.99)]
    result.add(
        program.name, f"{STREAMS:,} streams", requests=count, in_flight=in_flight,
        ttft_error=tuple(ttft), send_error=tuple(send),
        rss=run.peak_rss_mb, wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    return errors.ttft, in_flight


def _ten_thousand(bench: Bench, result: Result) -> None:
    """Slow enough for two cores: 50,000 chunks a second once all are there."""
    folder = bench.folder("crowd-great")
    with bench.simulator(folder, keep_truth=True, ttft=3_000, itl=200, batch=2 * GREAT) as server:
        flags = f"--streaming --isl 32 --osl 20 --num-dataset-entries 100 --concurrency {GREAT} --request-count {GREAT}"
        run = bench.profile(bench.ours, folder, server.url, flags)
    requests = server.requests()
    ended = sum(request["outcome"] == "completed" for request in requests)
    whole = sum(
        not record.get("error") and record["metrics"]["output_sequence_length"]["value"] == 20
        for record in artifacts.records(folder)
    )
    in_flight = max(request["in_flight"] for request in requests)
    errors = truth.errors(artifacts.records(folder), requests)
    ttft = [truth.quantile(errors.ttft, share) for share in (0.5, 0.99, 1.0)]
    result.add(
        bench.ours.name, f"{GREAT:,} streams", requests=GREAT, in_flight=in_flight,
        ttft_error=tuple(ttft), rss=run.peak_rss_mb, wall=run.wall_s,
        cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    result.checks.append(Check("10,000 streams: in flight", in_flight, GREAT, "", at_least=True))
    result.checks.append(Check("10,000 streams: whole on both sides", min(ended, whole), GREAT, "", at_least=True))
