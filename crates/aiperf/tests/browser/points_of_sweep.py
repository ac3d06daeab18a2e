"""What each chart of the page of a sweep must show, computed from the files of its runs. A configuration has one run, or two: then
its intervals have one degree of freedom."""

import functools
import math
import re
from collections import defaultdict
from pathlib import Path

from drawn_lines import check_lines
from recorded_run import RecordedRun, Table, close, quantile

# Of Student's distribution at 97.5 % with one degree of freedom.
T_OF_TWO_RUNS = math.tan(math.pi * 0.475)
# What the sweep with a price of GPUs was given.
COST_PER_GPU_HOUR = 3.0


@functools.cache
def configurations(folder: str) -> dict[str, list[RecordedRun]]:
    """Runs by the label of their configuration, from the lowest load to the highest."""
    runs = defaultdict(list)
    for path in Path(folder).rglob("profile_export.jsonl"):
        run = RecordedRun(str(path.parent))
        phase = next(one for one in run.summary["input_config"]["phases"] if one["kind"] == "profiling")
        load = "rate" if "rate" in phase else "concurrency"
        lengths = "".join(f"isl {value}, " for value in re.findall(r"isl_(\d+)", str(path)))
        runs[phase[load], f"{lengths}{load} {phase[load]}"].append(run)
    return {label: group for (_, label), group in sorted(runs.items())}


def load_of(label: str) -> float:
    return float(label.split()[-1])


def throughput(run: RecordedRun) -> float:
    return len(run.good) / run.seconds


def tokens(run: RecordedRun) -> float:
    return sum(run.values("output_sequence_length")) / run.seconds


def gpus(run: RecordedRun) -> int:
    endpoints = run.summary.get("telemetry_data", {}).get("endpoints", {})
    return sum(len(endpoint["gpus"]) for endpoint in endpoints.values())


def per_user(run: RecordedRun) -> float:
    speeds = run.values("output_token_throughput_per_user")
    return sum(speeds) / len(speeds)


def goodput(run: RecordedRun) -> float:
    return sum(all(one.get(tag) <= limit for tag, limit in run.limits.items()) for one in run.good) / run.seconds


def percentile(metric: str, q: float, run: RecordedRun) -> float:
    return quantile(run.values(metric), q)


def mean(runs: list[RecordedRun], of) -> float:
    return sum(map(of, runs)) / len(runs)


def check_figures(table: Table, folder: str, names: dict, what: str):
    """Means of the runs of each configuration and, with two runs, their intervals."""
    known = configurations(folder)
    assert [row[0] for row in table.rows] and {row[0] for row in table.rows} == set(known), (what, table.rows, list(known))
    for row in table.rows:
        for name, of in names.items():
            place = table.columns.index(name)
            values = [of(run) for run in known[row[0]]]
            expected = sum(values) / len(values)
            where = f"{what} {name} of {row[0]}"
            close(float(row[place]), expected, where, 1e-4)
            if len(values) == 2:
                half = T_OF_TWO_RUNS * abs(values[0] - values[1]) / 2
                # Half the interval is small next to the mean, and both have six digits.
                close([float(cell) for cell in row[place + 1:place + 3]], [expected - half, expected + half], where, 1e-4, 1e-4 * abs(expected))


def percentiles(metric: str, table: Table, chart: dict, folder: str):
    names = {name: functools.partial(percentile, metric, int(name[1:]) / 100) for name in ("p50", "p90", "p99")}
    check_figures(table, folder, names, metric)
    if all("," not in label for label in configurations(folder)):
        check_lines(chart, table, [load_of(row[0]) for row in table.rows], {"c1": "p50", "c3": "p90", "c2": "p99"}, metric)


def pareto(table: Table, _, folder: str):
    total = next(name for name in table.columns if name.startswith("Output tokens/s"))
    each = (lambda run: tokens(run) / gpus(run)) if total.endswith("per GPU") else tokens
    check_figures(table, folder, {"tokens/s per user": per_user, total: each}, "S2")
    points = [(row["tokens/s per user"], row[total]) for row in table.dicts()]
    for (x, y), shown in zip(points, table.column("on the front")):
        beaten = any(a >= x and b >= y and (a, b) != (x, y) for a, b in points)
        assert shown == ("no" if beaten else "yes"), (x, y, shown)


def achieved(table: Table, _, folder: str):
    if "Throughput" in table.columns:
        return check_figures(table, folder, {"Throughput": throughput}, "S5")
    check_figures(table, folder, {"achieved (req/s)": throughput}, "S5")
    close(table.column("offered (req/s)"), [load_of(row[0]) for row in table.rows], "S5 offered")


def endings(table: Table, _, folder: str):
    for row in table.dicts():
        runs = configurations(folder)[row["configuration"]]
        assert row["runs"] == len(runs)
        assert row["succeeded"] == sum(len(run.good) for run in runs), row
        assert row["failed"] == sum(one.error is not None for run in runs for one in run.all), row


def of_engine(metric: str, factor: float, run: RecordedRun) -> float:
    return run.summary["server_metrics"]["engines"][0]["metrics"][metric]["avg"] * factor


def queue(table: Table, _, folder: str):
    check_figures(table, folder, {"Waiting requests": functools.partial(of_engine, "waiting_requests", 1), "KV cache in use": functools.partial(of_engine, "kv_cache_usage", 100)}, "S8")


def cost(table: Table, _, folder: str):
    price = lambda run: COST_PER_GPU_HOUR * gpus(run) / 3600 / tokens(run) * 1e6
    check_figures(table, folder, {"Cost per million output tokens": price}, "S9")
    # Energy needs more readings than a short run has.
    energy = [[run.summary.get("nvidia_energy_per_output_token", {}).get("avg") for run in configurations(folder)[row[0]]] for row in table.rows]
    close(table.column("Energy per output token"), [None if None in values else sum(values) / len(values) for values in energy], "S9 energy", 1e-4)


def grid(table: Table, _, folder: str):
    names = {
        "Output tokens/s": tokens, "Requests/s": throughput, "Goodput (req/s)": goodput,
        "TTFT p99 (ms)": functools.partial(percentile, "time_to_first_token", 0.99), "ITL p99 (ms)": functools.partial(percentile, "inter_token_latency", 0.99),
    }
    assert len(table) == len(configurations(folder))
    for row in table.dicts():
        label = next(label for label in configurations(folder) if label.startswith(f"isl {row['isl']:g},") and load_of(label) == row["rate"])
        for name, of in names.items():
            close(row[name], mean(configurations(folder)[label], of), f"S10 {name} of {label}", 1e-4)


def check_answer(best: str, limits: dict[str, float], folder: str):
    """The highest load up to which the p99 of every tested load meets the limits."""
    expected = "none"
    for label, runs in configurations(folder).items():
        if any(mean(runs, functools.partial(percentile, tag, 0.99)) > limit for tag, limit in limits.items()):
            break
        expected = label
    assert best == expected, f"the page says {best}, expected {expected}"


CHECKS = {
    "s2": pareto, "s3": functools.partial(percentiles, "time_to_first_token"), "s4": functools.partial(percentiles, "inter_token_latency"),
    "s5": achieved, "s6": lambda table, _, folder: check_figures(table, folder, {"Finished": throughput, "Goodput": goodput}, "S6"),
    "s7": endings, "s8": queue, "s9": cost, "s10": grid,
}
