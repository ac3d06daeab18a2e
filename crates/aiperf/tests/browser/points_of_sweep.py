"""What each chart of the page of a sweep must show, computed from the files of its runs. Every configuration has two runs, so that
its intervals have one degree of freedom."""

import functools
import json
import math
from collections import defaultdict
from pathlib import Path

from drawn_lines import check_lines
from recorded_run import RecordedRun, Table, close, quantile

# Of Student's distribution at 97.5 % with one degree of freedom.
T_OF_TWO_RUNS = math.tan(math.pi * 0.475)


@functools.cache
def runs_by_load(folder: str) -> dict[int, list[RecordedRun]]:
    runs = defaultdict(list)
    for path in sorted(Path(folder).rglob("profile_export.jsonl")):
        run = RecordedRun(str(path.parent))
        phase = next(one for one in run.summary["input_config"]["phases"] if one["kind"] == "profiling")
        runs[phase["concurrency"]].append(run)
    return dict(sorted(runs.items()))


def throughput(run: RecordedRun) -> float:
    return len(run.good) / run.seconds


def tokens(run: RecordedRun) -> float:
    return sum(run.values("output_sequence_length")) / run.seconds


def per_user(run: RecordedRun) -> float:
    speeds = run.values("output_token_throughput_per_user")
    return sum(speeds) / len(speeds)


def goodput(run: RecordedRun) -> float:
    limits = run.summary["input_config"]["slos"]
    return sum(all(one.get(tag) <= limit for tag, limit in limits.items()) for one in run.good) / run.seconds


def figure(runs: list[RecordedRun], of) -> list[float]:
    """The mean of the runs, and its interval."""
    values = [of(run) for run in runs]
    assert len(values) == 2, values
    mean = sum(values) / 2
    half = T_OF_TWO_RUNS * abs(values[0] - values[1]) / 2
    return [mean, mean - half, mean + half]


def check_figures(table: Table, folder: str, names: dict, what: str):
    for row, (load, runs) in zip(table.rows, runs_by_load(folder).items(), strict=True):
        assert row[0] == f"concurrency {load}", row
        for name, of in names.items():
            place = table.columns.index(name)
            # Half the interval is small next to the mean, and both have six digits.
            expected = figure(runs, of)
            close([float(cell) for cell in row[place:place + 3]], expected, f"{what} {name} at {load}", 1e-4, 1e-4 * abs(expected[0]))


def percentiles(metric: str, table: Table, chart: dict, folder: str):
    names = {name: functools.partial(lambda q, run: quantile(run.values(metric), q), int(name[1:]) / 100) for name in ("p50", "p90", "p99")}
    check_figures(table, folder, names, metric)
    check_lines(chart, table, list(runs_by_load(folder)), {"c1": "p50", "c3": "p90", "c2": "p99"}, metric)


def pareto(table: Table, _, folder: str):
    total = "Output tokens/s, all GPUs"
    check_figures(table, folder, {"tokens/s per user": per_user, total: tokens}, "S2")
    points = [(row["tokens/s per user"], row[total]) for row in table.dicts()]
    for (x, y), shown in zip(points, table.column("on the front")):
        beaten = any(a >= x and b >= y and (a, b) != (x, y) for a, b in points)
        assert shown == ("no" if beaten else "yes"), (x, y, shown)


def endings(table: Table, _, folder: str):
    for row, runs in zip(table.dicts(), runs_by_load(folder).values(), strict=True):
        assert row["runs"] == len(runs)
        assert row["succeeded"] == sum(len(run.good) for run in runs), row
        assert row["failed"] == sum(one.error is not None for run in runs for one in run.all), row


def of_server(table: Table, _, folder: str):
    for row, runs in zip(table.rows, runs_by_load(folder).values(), strict=True):
        for name, metric, factor in (("Waiting requests", "waiting_requests", 1), ("KV cache in use", "kv_cache_usage", 100)):
            values = [run.summary["server_metrics"]["engines"][0]["metrics"][metric]["avg"] * factor for run in runs]
            close(float(row[table.columns.index(name)]), sum(values) / len(values), name, 1e-4)


CHECKS = {
    "s2": pareto, "s3": functools.partial(percentiles, "time_to_first_token"), "s4": functools.partial(percentiles, "inter_token_latency"),
    "s5": lambda table, chart, folder: check_figures(table, folder, {"Throughput": throughput}, "S5"),
    "s6": lambda table, chart, folder: check_figures(table, folder, {"Finished": throughput, "Goodput": goodput}, "S6"),
    "s7": endings, "s8": of_server,
}
