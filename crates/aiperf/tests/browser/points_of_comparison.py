"""What each chart of a comparison of two runs must show, computed from the files of both."""

import functools

from recorded_run import RecordedRun, Slices, Table, close, quantile

run_of = functools.cache(RecordedRun)


def named(baseline: str, candidate: str) -> dict[str, RecordedRun]:
    return {baseline: run_of(baseline), candidate: run_of(candidate)}


def changes(table: Table, _, baseline: str, candidate: str):
    runs = run_of(baseline), run_of(candidate)
    checked = 0
    for row in table.dicts():
        values = [run.values(row["metric"]) for run in runs]
        if not all(values):
            continue
        of = {"avg": lambda values: sum(values) / len(values)}.get(row["statistic"])
        if of is None and row["statistic"][1:].isdigit():
            of = functools.partial(quantile, q=int(row["statistic"][1:]) / 100)
        if of is None:
            continue
        before, after = of(values[0]), of(values[1])
        close([row["baseline"], row["candidate"]], [before, after], f"{row['metric']} {row['statistic']}", 1e-4)
        close(row["change"], after / before - 1, f"change of {row['metric']} {row['statistic']}", 1e-3, 1e-4)
        checked += 1
    assert checked >= 3, f"{checked} of {len(table)} rows were compared"


def tail(metric: str, column: str, table: Table, _, baseline: str, candidate: str):
    for row in table.dicts():
        close(row[column], quantile(named(baseline, candidate)[row["run"]].values(metric), 1 - row["share that took longer"]), f"{metric} {row}", 1e-4)


def shift(metric: str, table: Table, _, baseline: str, candidate: str):
    runs = named(baseline, candidate)
    for row in table.dicts():
        q = row["percentile"] / 100
        before = quantile(runs[baseline].values(metric), q)
        close(row["difference (ms)"], quantile(runs[row["run"]].values(metric), q) - before, f"{metric} p{row['percentile']}", absolute=2e-5 * before)


def overlay(of, column: str, table: Table, _, baseline: str, candidate: str):
    for name, run in named(baseline, candidate).items():
        rows = [row for row in table.dicts() if row["run"] == name]
        middles = [row["time (s)"] for row in rows]
        slices = Slices(run, [index * 2 * middles[0] for index in range(len(rows))])
        close([row[column] for row in rows], of(run, slices), f"{column} of {name}", 1e-4)


CHECKS = {
    "c2": changes, "c3": functools.partial(tail, "time_to_first_token", "TTFT (ms)"), "c4": functools.partial(tail, "request_latency", "request latency (ms)"),
    "c5": functools.partial(shift, "time_to_first_token"), "c6": functools.partial(shift, "inter_token_latency"),
    "c7": functools.partial(overlay, lambda run, slices: slices.percentiles(run.good, "time_to_first_token", 0.99), "TTFT p99 (ms), by slice"),
    "c8": functools.partial(overlay, lambda run, slices: slices.rates(one.end for one in run.good), "Requests/s, by slice"),
}
