"""A whole recorded hour at ten times its pace. Needs a mooncake trace (--trace PATH), and is left out without one."""

import json
import subprocess
import time

import artifacts
from bench import Bench
from results import Check, Result, number

NAME = "trace"
SPEEDUP = 10
BLOCK = 512
# A tenth of the hour is enough for a look.
QUICK_MS = 360_000


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"a mooncake trace at {SPEEDUP} times its pace")
    folder = bench.folder("trace")
    window = bench.trace.read_text().splitlines()
    if bench.quick:
        window = [line for line in window if json.loads(line)["timestamp"] <= QUICK_MS]
    file = folder / "window.jsonl"
    file.write_text("\n".join(window))
    foretold = json.loads(subprocess.check_output([bench.ours.path, "analyze-trace", file, "--format", "json"]))
    cache = foretold["prefix_cache"]
    with bench.simulator(
        folder, keep_truth=True, ttft=0, itl=0, osl=1, cache=cache["unique_blocks"] + 1, cache_block=BLOCK
    ) as server:
        flags = f"--input-file {file} --custom-dataset-type mooncake_trace --replay-speedup {SPEEDUP}"
        began_ns = time.time_ns()
        run = bench.profile(bench.ours, folder, server.url, flags)
    first_s = (min(record["metadata"]["request_start_ns"] for record in artifacts.records(folder)) - began_ns) / 1e9
    seen = server.requests()
    rows = [json.loads(line) for line in window]
    hit_rate = sum(request["cached_tokens"] or 0 for request in seen) / sum(request["prompt_tokens"] for request in seen)
    wrong = sorted(request["prompt_tokens"] for request in seen) != sorted(row["input_length"] for row in rows)
    summary = artifacts.summary(folder)
    lag_us = artifacts.statistic(summary, "schedule_lag", "p99") * 1000
    stolen = summary["client_health"]["observed"].get("stolen_cpu_percent", 0)
    result.add(
        bench.ours.name, f"{len(rows):,} rows", requests=len(seen), rss=run.peak_rss_mb,
        wall=run.wall_s, cpu=run.cpu_s, server_cpu=server.cpu_s, stolen=stolen,
    )  # fmt: skip
    result.checks.append(Check("rows sent that are not in the trace, or have another length", float(wrong), 0, "", basis="each once"))
    result.checks.append(Check("first request after the start", first_s, 2, "s"))
    result.checks.append(Check("schedule lag, p99", lag_us, 1000, "µs", basis="with a core free"))
    off = abs(hit_rate - cache["hit_rate"])
    # Rows of one instant may be looked up in another order than they have in the file.
    result.checks.append(Check("hit rate off the foretold", off * 100, 0.1, "points", basis=number(cache["hit_rate"])))
    return result
