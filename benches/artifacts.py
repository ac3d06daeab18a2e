"""Reads what a profile run left behind."""

import json
from pathlib import Path
from typing import Iterator

TAIL_BYTES = 64 * 1024 * 1024


def summary(folder: Path) -> dict:
    return json.loads(summary_file(folder).read_text())


def summary_file(folder: Path) -> Path:
    return folder / "artifacts" / "profile_export_aiperf.json"


def statistic(summary: dict, metric: str, name: str = "avg") -> float:
    return float(summary[metric][name])


def records(folder: Path) -> list[dict]:
    return list(each_record(folder))


def each_record(folder: Path) -> Iterator[dict]:
    """One record after the other, for files that are too large to be held."""
    with records_file(folder).open() as lines:
        for line in lines:
            yield json.loads(line)


def records_file(folder: Path) -> Path:
    return folder / "artifacts" / "profile_export.jsonl"


def last_end_ns(folder: Path) -> int:
    """When the last response ended, on the wall clock: records are written as they end, so it is among the last lines."""
    path = records_file(folder)
    with path.open("rb") as file:
        skipped = max(0, path.stat().st_size - TAIL_BYTES)
        file.seek(skipped)
        if skipped:
            file.readline()
        return max(json.loads(line)["metadata"]["request_end_ns"] for line in file)
