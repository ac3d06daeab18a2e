"""An open loop at a constant rate, and a client with almost nothing to do."""

import artifacts
from bench import Bench
from results import Check, Result, number

NAME = "pace"
RATE = 1_000
STREAM_S = 20


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"constant {RATE:,} requests/s; one stream for {STREAM_S} s")
    _constant(bench, result)
    _one_stream(bench, result)
    return result


def _constant(bench: Bench, result: Result) -> None:
    seconds = bench.count(20, 5)
    folder = bench.folder("pace-constant")
    with bench.simulator(folder, ttft=5, itl=0, count="approx") as server:
        flags = f"--isl 16 --osl 4 --request-rate {RATE} --arrival-pattern constant --num-dataset-entries 100"
        run = bench.profile(bench.ours, folder, server.url, f"{flags} --request-count {RATE * seconds}")
    summary = artifacts.summary(folder)
    lag_us = artifacts.statistic(summary, "schedule_lag", "p99") * 1000
    result.add(
        bench.ours.name, f"constant {RATE:,}/s", requests=RATE * seconds,
        rate=artifacts.statistic(summary, "request_throughput"),
        cpu_per_1000=run.cpu_s / (RATE * seconds) * 1000, rss=run.peak_rss_mb,
        wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    result.checks.append(Check("schedule lag, p99", lag_us, 200, "µs", basis="with a core free"))


def _one_stream(bench: Bench, result: Result) -> None:
    folder = bench.folder("pace-stream")
    tokens = STREAM_S * 50
    with bench.simulator(folder, ttft=20, itl=20) as server:
        flags = f"--streaming --isl 32 --osl {tokens} --concurrency 1 --request-count 1"
        run = bench.profile(bench.ours, folder, server.url, flags)
    result.add(
        bench.ours.name, f"one stream, {STREAM_S} s", requests=1, rss=run.peak_rss_mb,
        wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    result.checks.append(Check(f"one stream for {STREAM_S} s: CPU in all", run.cpu_s, 0.5, "s"))
