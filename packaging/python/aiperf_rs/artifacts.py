"""Artifact folders: where their files are, and what is in them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from .frames import Frame, Row, frame_of

#: Folders next to the files of a run that are not runs themselves.
NOT_RUNS = {"aggregate", "logs", "phases", "plots", "previous", "sweep_aggregate", "wandb"}
SUMMARY = "profile_export_aiperf"
RECORDS = "profile_export"


class ArtifactError(Exception):
    """A folder or file that cannot be read as results of aiperf."""


@dataclass(frozen=True)
class Metric:
    """One metric of a summary. Statistics that the metric does not have are `None`."""

    tag: str
    unit: str
    avg: float | None = None
    min: float | None = None
    max: float | None = None
    std: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    #: Every statistic of the file by its name, these included.
    statistics: Mapping[str, float] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, tag: str, value: Mapping[str, Any]) -> "Metric":
        statistics = {name: number for name, number in value.items() if _is_number(number)}
        named = {name: statistics[name] for name in cls.__dataclass_fields__ if name in statistics}
        return cls(tag=tag, unit=str(value["unit"]), statistics=statistics, **named)


@dataclass(frozen=True)
class Run:
    """One run. Its files are read when they are asked for."""

    path: Path
    #: Path relative to the folder that was loaded; "." for the folder itself.
    name: str
    #: The start of the names of its files: `--profile-export-prefix`, if it was used.
    prefix: str | None = None

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary as it is in the file."""
        return _json(self._file(SUMMARY + ".json", ".json"))

    @property
    def config(self) -> dict[str, Any]:
        """The configuration that the run was made with."""
        return dict(self.summary.get("input_config", {}))

    @property
    def version(self) -> str:
        """Version of the program that made the run."""
        return str(self.summary.get("aiperf_version", ""))

    def metric(self, tag: str) -> Metric:
        """The metric with this tag, for example `time_to_first_token`."""
        value = self.summary.get(tag)
        if not _is_metric(value):
            raise KeyError(f"{self.path}: the summary has no metric {tag!r}")
        return Metric.read(tag, value)

    def metric_rows(self) -> list[Row]:
        return _metric_rows(self.summary)

    def record_rows(self) -> list[Row]:
        return [_record_row(record) for record in _lines(self._file(RECORDS + ".jsonl", ".jsonl"))]

    def timeslice_rows(self) -> list[Row]:
        document = _json(self._file(SUMMARY + "_timeslices.json", "_timeslices.json"))
        rows: list[Row] = []
        for index, timeslice in enumerate(document.get("timeslices", [])):
            when = {"timeslice": index, "start_ns": timeslice.get("start_ns"), "end_ns": timeslice.get("end_ns")}
            rows += [{**when, **row} for row in _metric_rows(timeslice)]
        return rows

    def gpu_rows(self) -> list[Row]:
        return [_flat(line, "telemetry_data") for line in _lines(self._file("gpu_telemetry_export.jsonl", "_gpu_telemetry.jsonl"))]

    def metrics(self, frame: Frame | None = None) -> Any:
        """One row per metric: tag, unit, statistics."""
        return frame_of(self.metric_rows(), frame)

    def records(self, frame: Frame | None = None) -> Any:
        """One row per request: its metadata, its error, and one column per metric."""
        return frame_of(self.record_rows(), frame)

    def timeslices(self, frame: Frame | None = None) -> Any:
        """One row per metric and slice of time (`--slice-duration`)."""
        return frame_of(self.timeslice_rows(), frame)

    def gpu_telemetry(self, frame: Frame | None = None) -> Any:
        """One row per GPU and reading."""
        return frame_of(self.gpu_rows(), frame)

    def _file(self, plain: str, suffix: str) -> Path:
        path = self.path / (plain if self.prefix is None else self.prefix + suffix)
        if not path.is_file():
            raise ArtifactError(f"{path} does not exist: the run did not write it, or it has not ended")
        return path


@dataclass(frozen=True)
class Artifacts(Sequence[Run]):
    """All runs of a folder: one, or those of a sweep or of repeated runs. Frames have a column `run`."""

    path: Path
    runs: tuple[Run, ...]

    def metrics(self, frame: Frame | None = None) -> Any:
        """One row per run and metric."""
        return frame_of(_with_run(self.runs, Run.metric_rows), frame)

    def records(self, frame: Frame | None = None) -> Any:
        """One row per run and request."""
        return frame_of(_with_run(self.runs, Run.record_rows), frame)

    def timeslices(self, frame: Frame | None = None) -> Any:
        """One row per run, slice of time and metric."""
        return frame_of(_with_run(self.runs, Run.timeslice_rows), frame)

    def gpu_telemetry(self, frame: Frame | None = None) -> Any:
        """One row per run, GPU and reading."""
        return frame_of(_with_run(self.runs, Run.gpu_rows), frame)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, index: Any) -> Any:
        return self.runs[index]

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)


def load(directory: str | os.PathLike[str]) -> Artifacts:
    """The runs in `directory` and below it. Results that a later run set aside (`previous`) are left out."""
    root = Path(directory)
    if not root.is_dir():
        raise ArtifactError(f"{root} is not a folder")
    runs = tuple(sorted(_runs_below(root), key=lambda run: run.name))
    if not runs:
        raise ArtifactError(f"{root} has no results of aiperf: no {SUMMARY}.json and no {RECORDS}.jsonl in it or below it")
    return Artifacts(root, runs)


def _runs_below(root: Path) -> Iterator[Run]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_RUNS]
        path = Path(folder)
        name = path.relative_to(root).as_posix()
        if SUMMARY + ".json" in files or RECORDS + ".jsonl" in files:
            yield Run(path, name)
            continue
        for file in sorted(files):
            if file.endswith(".json") and not file.startswith(".") and _is_summary(path / file):
                yield Run(path, name, file[: -len(".json")])


def _is_summary(path: Path) -> bool:
    try:
        document = _json(path)
    except ArtifactError:
        return False
    return all(key in document for key in ("benchmark_id", "input_config", "aiperf_version", "was_cancelled"))


def _with_run(runs: Sequence[Run], rows: Any) -> list[Row]:
    return [{"run": run.name, **row} for run in runs for row in rows(run)]


def _metric_rows(document: Mapping[str, Any]) -> list[Row]:
    metrics = [Metric.read(tag, value) for tag, value in document.items() if _is_metric(value)]
    return [{"metric": metric.tag, "unit": metric.unit, **metric.statistics} for metric in metrics]


def _record_row(record: Mapping[str, Any]) -> Row:
    row = dict(record.get("metadata", {}))
    error = record.get("error") or {}
    row.update({f"error_{name}": error.get(name) for name in ("code", "type", "message")})
    row.update({tag: metric.get("value") for tag, metric in (record.get("metrics") or {}).items()})
    return row


def _flat(line: Mapping[str, Any], inner: str) -> Row:
    return {**{name: value for name, value in line.items() if name != inner}, **line.get(inner, {})}


def _is_metric(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("unit"), str) and any(map(_is_number, value.values()))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as cause:
        raise ArtifactError(f"cannot read {path}: {cause}") from cause
    if not isinstance(document, dict):
        raise ArtifactError(f"{path} is not a JSON object")
    return document


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a file. A last line that was cut off, as after a crash, is left out."""
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError as cause:
            if number == len(lines):
                return
            raise ArtifactError(f"{path}:{number}: {cause}") from cause
