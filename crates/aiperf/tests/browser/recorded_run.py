"""The requests of an artifact folder, read from its JSONL, and statistics of them in plain Python: a second opinion on what aiperf
computes. Nothing here is shared with aiperf."""

import csv
import io
import json
import math
from pathlib import Path

# Numbers that are only drawn have six digits in a page.
DIGITS = 1e-5


class Request:
    def __init__(self, record: dict):
        metadata = record["metadata"]
        self.metrics = {name: metric["value"] for name, metric in record["metrics"].items()}
        self.error = record.get("error")
        self.start = metadata["request_start_ns"]
        self.headers = metadata.get("request_ack_ns")
        self.end = metadata["request_end_ns"]
        self.due = self.start - round(self.get("schedule_lag", 0) * 1e6)
        self.good = self.error is None and not metadata.get("was_cancelled")

    def get(self, name: str, default=None):
        value = self.metrics.get(name, default)
        return default if isinstance(value, list) else value

    @property
    def first(self) -> int | None:
        ttft = self.get("time_to_first_token")
        return None if ttft is None else self.start + round(ttft * 1e6)


class RecordedRun:
    """Profiling requests in the order in which they were sent."""

    def __init__(self, folder: str):
        self.folder = Path(folder)
        self.summary = json.loads((self.folder / "profile_export_aiperf.json").read_text())
        lines = (self.folder / "profile_export.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        self.all = sorted((Request(one) for one in records if one["metadata"]["benchmark_phase"] == "profiling"), key=lambda one: (one.start, one.end))
        self.good = [one for one in self.all if one.good]
        phase = next(one for one in self.summary["phase_accounting"] if one["phase_name"] == "profiling")
        self.start, self.end = phase["start_ns"], phase["end_ns"]
        self.seconds = (self.end - self.start) / 1e9
        self.limits = self.summary["input_config"].get("slos") or {}

    def values(self, metric: str) -> list[float]:
        return [value for one in self.good if (value := one.get(metric)) is not None]

    def offset(self, at_ns: int) -> float:
        return (at_ns - self.start) / 1e9

    def jsonl(self, name: str) -> list[dict]:
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]


def quantile(values, q: float) -> float:
    """Linear interpolation between order statistics."""
    ordered = sorted(values)
    rank = q * (len(ordered) - 1)
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (rank - below)


class Table:
    """The CSV that a chart of a page offers."""

    def __init__(self, text: str):
        self.columns, *self.rows = list(csv.reader(io.StringIO(text)))

    def __len__(self):
        return len(self.rows)

    def column(self, name: str) -> list:
        """Numbers, None for empty cells, or text."""
        place = self.columns.index(name)
        return [cell(row[place]) for row in self.rows]

    def dicts(self) -> list[dict]:
        return [dict(zip(self.columns, map(cell, row))) for row in self.rows]


def cell(text: str):
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def close(found, expected, what: str, relative: float = DIGITS, absolute: float = 1e-9):
    """Numbers, or lists of them with None at the same places."""
    if isinstance(expected, list):
        assert len(found) == len(expected), f"{what}: {len(found)} values, expected {len(expected)}"
        for index, (one, other) in enumerate(zip(found, expected)):
            close(one, other, f"{what}[{index}]", relative, absolute)
        return
    if expected is None or found is None:
        assert found is None and expected is None, f"{what}: {found}, expected {expected}"
        return
    assert abs(found - expected) <= max(absolute, relative * abs(expected)), f"{what}: {found}, expected {expected}"


class Slices:
    """The slices of a chart over time, from the starts in its table."""

    def __init__(self, run: RecordedRun, starts: list[float]):
        self.run, self.count = run, len(starts)
        self.step = starts[1] - starts[0] if len(starts) > 1 else run.seconds
        assert all(abs(start - index * self.step) < 1e-6 for index, start in enumerate(starts)), starts
        assert (self.count - 1) * self.step < run.seconds <= self.count * self.step + 1e-9

    def of(self, at_ns: int) -> int:
        return min(max((at_ns - self.run.start) // round(self.step * 1e9), 0), self.count - 1)

    def length(self, index: int) -> float:
        return min(self.run.seconds - index * self.step, self.step)

    def counts(self, times) -> list[int]:
        counts = [0] * self.count
        for at in times:
            counts[self.of(at)] += 1
        return counts

    def rates(self, times) -> list[float]:
        return [count / self.length(index) for index, count in enumerate(self.counts(times))]

    def levels(self, spans) -> list[float]:
        """The mean number of spans (seconds) that are open in each slice."""
        levels = []
        for index in range(self.count):
            low, high = index * self.step, index * self.step + self.length(index)
            levels.append(sum(max(0.0, min(end, high) - max(start, low)) for start, end in spans) / (high - low))
        return levels

    def percentiles(self, requests, metric: str, q: float) -> list[float | None]:
        slices = [[] for _ in range(self.count)]
        for one in requests:
            if (value := one.get(metric)) is not None:
                slices[self.of(one.start)].append(value)
        return [quantile(values, q) if values else None for values in slices]


def check_cells(table: Table, x: str, y: str, points: list[tuple[float, float]], what: str):
    """Counts of points in the cells of a grid. A point on the edge of a cell, within the digits of the page, may be in either."""
    inside = 0
    for row in table.dicts():
        sides = [(row[f"{x} from"], row[f"{x} to"]), (row[f"{y} from"], row[f"{y} to"])]

        def count(slack):
            def within(value, low, high):
                room = slack * max(abs(low), abs(high), 0.1)
                return low - room <= value < high + room
            return sum(within(px, *sides[0]) and within(py, *sides[1]) for px, py in points)

        assert count(-DIGITS) <= row["count"] <= count(DIGITS), f"{what}: {row}, expected {count(0)}"
        inside += row["count"]
    assert inside == len(points), f"{what}: {inside} of {len(points)} points are drawn"
