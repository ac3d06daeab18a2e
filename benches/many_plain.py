"""Whole answers on all cores: what a request costs when many threads work on them."""

import json
import os

import artifacts
import measured
import plain
import stream_load
from bench import RUN_LIMIT_S, Bench
from results import Check, Result

NAME = "many-plain"
REQUESTS = 200_000
MANY_CORES = 16


def measure(bench: Bench) -> Result:
    count, cores = bench.count(REQUESTS, 10_000), stream_load.core_count()
    threads = max(1, cores // 4)
    result = Result(NAME, f"{count:,} whole answers, no latency, concurrency {plain.CONCURRENCY}, {cores} cores")
    bare = _bare(bench, result, count, threads)
    if bench.oha:
        cpu, rate, memory, server_cpu = plain.with_oha(bench, count, threads)
        result.add("oha", "oha", requests=count, rate=rate, cpu_per_1000=cpu / count * 1000, rss=memory, server_cpu=server_cpu)
    folder = bench.folder("many-plain")
    with bench.simulator(folder, threads=threads, **plain.SERVER) as server:
        run = bench.profile(bench.ours, folder, server.url, f"{plain.FLAGS} --request-count {count}")
    summary = artifacts.summary(folder)
    if (done := artifacts.statistic(summary, "request_count")) != count:
        raise RuntimeError(f"{bench.ours.name} finished {done:.0f} of {count} requests; see {folder}")
    cost = run.cpu_s / count * 1000
    more = {"of_bare": cost / bare} if bare else {}
    result.add(
        bench.ours.name, f"{cores} cores", requests=count, rate=artifacts.statistic(summary, "request_throughput"),
        cpu_per_1000=cost, rss=run.peak_rss_mb, wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s, **more,
    )  # fmt: skip
    result.checks.append(Check("CPU s per 1,000 requests", cost, 0.02, "s"))
    return result


def _bare(bench: Bench, result: Result, count: int, threads: int) -> float | None:
    """CPU seconds per 1,000 requests of the bare client."""
    if not bench.bare_client:
        return None
    folder = bench.folder("many-plain-bare")
    with bench.simulator(folder, threads=threads, **plain.SERVER) as server:
        argv = [str(bench.bare_client), server.url.removeprefix("http://")]
        argv += [f"streams={plain.CONCURRENCY}", f"requests={count}", "tokens=0", f"threads={threads}"]
        run = measured.run(argv, folder, dict(os.environ), RUN_LIMIT_S)
    said = json.loads(run.stdout)
    cost = said["cpu_s"] / count * 1000
    result.add(
        stream_load.BARE, f"{threads} threads", requests=count, rate=count / said["wall_s"], cpu_per_1000=cost,
        rss=run.peak_rss_mb, wall=said["wall_s"], cpu=said["cpu_s"], server_cpu=server.cpu_s,
    )  # fmt: skip
    return cost
