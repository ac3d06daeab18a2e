"""A million requests with a record each: memory, and how long the summary takes after the last response."""

import shutil

import artifacts
from bench import Bench
from results import Check, Result, number

NAME = "million"
# Tokens of a prompt.
SHORT, LONG = 10, 1_000
MOST_MB = 300
# Every file that can be asked for.
ALL_FILES = "--slice-duration 1 --export-records-parquet --export-outputs-json --export-genai-perf"
MOST_MB_ALL_FILES = 400
# What counts as flat: the bodies themselves are kept once for each entry of the data set, and buffers are longer.
FLAT = 1.2


def measure(bench: Bench) -> Result:
    count = bench.count(1_000_000, 50_000)
    result = Result(NAME, f"{count:,} requests, records level, prompts of {SHORT} and of {LONG:,} tokens")
    short = _run(bench, result, count, SHORT)
    long = _run(bench, result, count, LONG)
    every = _run(bench, result, count, SHORT, ALL_FILES)
    result.checks.append(Check("resident memory", max(short[0], long[0]), MOST_MB, "MB"))
    result.checks.append(Check("resident memory, all files", every[0], MOST_MB_ALL_FILES, "MB"))
    basis = f"{FLAT} x the {number(short[0])} MB of prompts of {SHORT} tokens"
    result.checks.append(Check(f"resident memory, prompts of {LONG:,} tokens", long[0], FLAT * short[0], "MB", basis=basis))
    result.checks.append(Check("last response to summary", max(short[1], long[1]), 5, "s"))
    result.checks.append(Check("last response to the last of all files", every[1], 5, "s"))
    return result


def _run(bench: Bench, result: Result, count: int, tokens: int, more: str = "") -> tuple[float, float]:
    """Peak resident memory in MB, and seconds from the last response until all files were there."""
    folder = bench.folder(f"million-{tokens}{'-all' if more else ''}")
    with bench.simulator(folder, ttft=0, itl=0, count="approx") as server:
        flags = f"--isl {tokens} --osl 1 --concurrency 64 --num-dataset-entries 100 --request-count {count} {more}"
        run = bench.profile(bench.ours, folder, server.url, flags)
    summary = artifacts.summary(folder)
    # The marker comes last.
    marker = artifacts.summary_file(folder).parent / ".aiperf_results_ready.json"
    after = marker.stat().st_mtime_ns - artifacts.last_end_ns(folder)
    result.add(
        bench.ours.name, f"prompts of {tokens:,} tokens{', all files' if more else ''}", requests=count,
        rate=artifacts.statistic(summary, "request_throughput"),
        cpu_per_1000=run.cpu_s / count * 1000, rss=run.peak_rss_mb,
        wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s,
    )  # fmt: skip
    # More than a gigabyte of records that nobody will read.
    shutil.rmtree(folder)
    return run.peak_rss_mb, after / 1e9
