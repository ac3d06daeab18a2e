"""Whole answers from a server without latency: what a request costs the client, against a plain HTTP load generator."""

import json
import statistics

import artifacts
from bench import RUN_LIMIT_S, Bench
from programs import Program
from results import Check, Result, number

NAME = "plain"
CONCURRENCY = 64
SERVER = {"ttft": 0, "itl": 0, "count": "approx"}
FLAGS = f"--isl 4 --osl 1 --concurrency {CONCURRENCY} --num-dataset-entries 100"
BODY = {
    "messages": [{"role": "user", "content": "one two three four"}],
    "model": "sim-model",
    "stream": False,
    "max_completion_tokens": 1,
}


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"whole answers, no latency, tiny prompt, concurrency {CONCURRENCY}")
    many, few = bench.count(60_000, 10_000), bench.count(4_000, 500)
    cost, rate = {}, {}
    rounds: dict[str, list[tuple[float, float, float, float]]] = {"oha": [], "summary": [], "records": []}
    for _ in range(bench.rounds):
        if bench.oha:
            rounds["oha"].append(with_oha(bench, many))
        for level in ("summary", "records"):
            rounds[level].append(_profile(bench, bench.ours, level, many))
    for name, runs in rounds.items():
        if runs:
            cost[name], rate[name] = _row(result, "oha" if name == "oha" else bench.ours.name, name, many, runs)
    if bench.theirs:
        # Starting costs it more than the requests do, so that is taken off: in its favour.
        cpu, rps, memory, server = _profile(bench, bench.theirs, "records", few)
        cpu = max(0.0, cpu - bench.startup(bench.theirs)[1])
        _, rate["reference"] = _row(result, "reference", "records, less start-up", few, [(cpu, rps, memory, server)])
        least = 50 * rate["reference"]
        basis = f"50 x the reference's {number(rate['reference'])}"
        result.checks.append(Check("requests/s, export level summary", rate["summary"], least, "/s", True, basis))
        result.checks.append(Check("requests/s, export level records", rate["records"], least, "/s", True, basis))
    if bench.oha:
        for level, factor in (("summary", 2), ("records", 3)):
            basis = f"{factor} x oha's {cost['oha']:.4f}"
            what = f"CPU s per 1,000 requests, export level {level}"
            result.checks.append(Check(what, cost[level], factor * cost["oha"], "s", basis=basis))
    return result


def _row(result: Result, tool: str, what: str, count: int, runs: list) -> tuple[float, float]:
    """Enters the medians of all rounds; gives CPU seconds per 1,000 requests and requests per second."""
    cpu, rate, memory, server = (statistics.median(column) for column in zip(*runs))
    per_1000 = cpu / count * 1000
    result.add(
        tool, what, requests=count, rate=rate, cpu_per_1000=per_1000,
        rss=memory, server_cpu=server,
    )  # fmt: skip
    return per_1000, rate


def _profile(bench: Bench, program: Program, level: str, count: int) -> tuple[float, float, float, float]:
    folder = bench.folder(f"plain-{program.name}-{level}")
    with bench.simulator(folder, **SERVER) as server:
        flags = f"{FLAGS} --request-count {count} --export-level {level}"
        run = bench.profile(program, folder, server.url, flags)
    summary = artifacts.summary(folder)
    done = artifacts.statistic(summary, "request_count")
    if done != count:
        raise RuntimeError(f"{program.name} finished {done:.0f} of {count} requests; see {folder}")
    return run.cpu_s, artifacts.statistic(summary, "request_throughput"), run.peak_rss_mb, server.cpu_s


def with_oha(bench: Bench, count: int, threads: int = 1) -> tuple[float, float, float, float]:
    """CPU seconds, requests per second, memory and CPU seconds of a simulator with so many threads."""
    folder = bench.folder("plain-oha")
    with bench.simulator(folder, threads=threads, **SERVER) as server:
        load = ["-n", str(count), "-c", str(CONCURRENCY), "--no-tui", "--output-format", "json"]
        request = ["-m", "POST", "-T", "application/json", "-d", json.dumps(BODY), f"{server.url}/v1/chat/completions"]
        run = bench.oha.run(load + request, folder, RUN_LIMIT_S)
    report = json.loads(run.stdout)
    if report["statusCodeDistribution"] != {"200": count}:
        raise RuntimeError(f"oha: {report['statusCodeDistribution']} of {count} requests; see {folder}")
    return run.cpu_s, report["summary"]["requestsPerSec"], run.peak_rss_mb, server.cpu_s
