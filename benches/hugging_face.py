"""Requests whose tokens are counted with a `tokenizer.json`: what they cost, next to the built-in tokenizer."""

from types import SimpleNamespace

import artifacts
import stream_load
import tokenizer_file
from bench import Bench
from results import Check, Result

CORES = 2
REQUESTS = 20_000
SERVER = {"ttft": 0, "itl": 0, "count": "approx"}


def _streams(bench: Bench) -> Result:
    result = Result("hf-streams", "streamed requests, 100 tokens in, 50 out, no latency, concurrency 64, 2 cores")
    flags = "--streaming --isl 100 --osl 50 --concurrency 64"
    cost, rss = _both(bench, result, flags)
    result.checks.append(Check("CPU s per 1,000 requests, tokenizer.json", cost, 0.10, "s"))
    result.checks.append(Check("peak RSS, tokenizer.json", rss, 100, "MB"))
    return result


def _plain(bench: Bench) -> Result:
    result = Result("hf-plain", "whole answers, 16 tokens in, 1 out, no latency, concurrency 64, 2 cores")
    cost, _ = _both(bench, result, "--isl 16 --osl 1 --concurrency 64")
    result.checks.append(Check("CPU s per 1,000 requests, tokenizer.json", cost, 0.03, "s"))
    return result


def _both(bench: Bench, result: Result, flags: str) -> tuple[float, float]:
    """CPU seconds per 1,000 requests and peak memory with the tokenizer file."""
    count = bench.count(REQUESTS, 2_000)
    file = bench.work / "tokenizer.json"
    if not file.exists():
        tokenizer_file.write(file)
    found = {}
    for what, tokenizer in (("built-in", "builtin"), ("tokenizer.json", str(file))):
        folder, cores = bench.folder(f"{result.case}-{what}"), stream_load.some_cores(CORES)
        with bench.simulator(folder, cores=cores, **SERVER) as server:
            run = bench.profile(bench.ours, folder, server.url, f"{flags} --request-count {count}", tokenizer, cores)
        summary = artifacts.summary(folder)
        if (done := artifacts.statistic(summary, "request_count")) != count:
            raise RuntimeError(f"{bench.ours.name} finished {done:.0f} of {count} requests; see {folder}")
        found[what] = run.cpu_s / count * 1000, run.peak_rss_mb
        result.add(
            bench.ours.name, what, requests=count, rate=artifacts.statistic(summary, "request_throughput"),
            cpu_per_1000=found[what][0], rss=run.peak_rss_mb, wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
        )  # fmt: skip
    return found["tokenizer.json"]


STREAMS = SimpleNamespace(NAME="hf-streams", measure=_streams)
PLAIN = SimpleNamespace(NAME="hf-plain", measure=_plain)
