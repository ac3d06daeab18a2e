"""Reads what one run left behind."""

import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes

# Title of a table on the console, with the program's name before it.
TITLE = re.compile(r"^\s*(?P<program>NVIDIA AIPerf|aiperf) \| (?P<title>\S.*?)\s*$")
LOG_LINE = re.compile(r"^\d\d:\d\d:\d\d\.\d{3} ")
LINE_LABEL = re.compile(r"^(?P<label>CLI Command|Benchmark Duration|Log File|Raw Records|[A-Z][A-Za-z ]+ Export): ")
# The folder of one of several runs, and what is said over all of them.
POINT = r"\w+_[\d.]+(?:__\w+_[\d.]+)*/"
RUN_FOLDER = re.compile(rf"^(?:profile_runs/(?:run|trial)_\d+/(?:{POINT})?|{POINT}(?:profile_runs/trial_\d+/)?)")
OVER_RUNS = re.compile(r"profile_export_aiperf_(?P<kind>aggregate|sweep|collated)\.")
# Notes after the tables, known by a word that both tools cannot but use.
NOTES = {
    "note: usage without cached tokens": re.compile("enable-prompt-tokens-details"),
    "note: output lengths are not as asked": re.compile("ignore_eos"),
    "note: client and server count differently": re.compile(r"usage_\S*diff_pct"),
}


GPU_ROW = ("Endpoint", "GPU_Index", "Metric")
# Columns of the server metrics table that tell which series a row is, and those with its statistics; all others are labels.
SERIES_NAMES = {"Metric", "Key", "Value"}
SERIES_VALUES = {"Endpoint", "Type", "Unit", "Description", "buckets", "total", "count", "sum", "avg", "min", "max", "std"} | {
    *("rate", "rate_avg", "rate_min", "rate_max", "rate_std", "count_rate", "sum_rate"),
    *(f"p{share}{suffix}" for share in (1, 5, 10, 25, 50, 75, 90, 95, 99) for suffix in ("", "_estimate")),
}


@dataclass
class Table:
    program: str = ""
    columns: list[str] = field(default_factory=list)
    # Row label to the columns that hold a value.
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class CsvSection:
    header: list[str]
    # Row name to the columns that hold a value.
    rows: dict[str, tuple[str, ...]]


@dataclass
class Artifacts:
    folder: Path
    process: processes.Finished
    files: set[str] = field(default_factory=set)
    json: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, list[Any]] = field(default_factory=dict)
    csv: dict[str, list[CsvSection]] = field(default_factory=dict)
    tables: dict[str, dict[str, Table]] = field(default_factory=dict)
    trailer: list[str] = field(default_factory=list)
    log: str = ""
    # Requests of this run as the simulator saw them.
    truth: list[dict] = field(default_factory=list)

    @property
    def summary(self) -> dict:
        return self._first(self.json, "summary.json") or {}

    @property
    def records(self) -> list[dict]:
        """Those of all runs, where there are several."""
        return self._all_lines("records.jsonl")

    @property
    def raw(self) -> list[dict]:
        return self._all_lines("raw.jsonl")

    def _all_lines(self, role: str) -> list[dict]:
        return [line for name, lines in self.lines.items() if role_of(name) == role for line in lines]

    def truth_requests(self) -> list[dict]:
        """Requests that the tool made, without what waits for the server and asks it."""
        return [request for request in self.truth if request["method"] == "POST" and request["request_id"]]

    @staticmethod
    def _first(found: dict, role: str):
        return next((content for name, content in found.items() if role_of(name) == role), None)


def role_of(name: str) -> str:
    """What a file is, whatever prefix it was given: `summary.json` for `profile_export_aiperf.json` and `myrun.json`. Of several
    runs, each has its own."""
    if over_runs := OVER_RUNS.search(name):
        return over_runs["kind"] + name[name.rindex(".") :]
    name = RUN_FOLDER.sub("", name)
    if name.startswith(("server_metrics_export", "gpu_telemetry_export")):
        return name
    if "/" in name or name.startswith(".") or name in ("inputs.json", "outputs.json", "phase_manifest.json", "run_config.json"):
        return name
    if name.endswith("_raw.jsonl"):
        return "raw.jsonl"
    if name.endswith("_network_latency.jsonl"):
        return "network_latency.jsonl"
    if name.endswith(".jsonl"):
        return "records.jsonl"
    if name.endswith("_console.txt"):
        return "console.txt"
    if name.endswith((".json", ".csv")) and "timeslices" not in name:
        return "summary" + name[name.rindex(".") :]
    return name


def read(folder: Path, process: processes.Finished, urls: tuple[str, ...] = ()) -> Artifacts:
    """Each run has servers of its own: their addresses are keys of telemetry files, and are replaced by `SERVER`."""
    places = [url.removeprefix("http://") for url in urls]

    def text_of(path: Path) -> str:
        text = path.read_bytes().decode()
        for place in places:
            text = text.replace(place, "SERVER")
        return text

    artifacts = Artifacts(folder, process)
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        artifacts.files.add(name)
        if name.endswith(".jsonl"):
            # Not `splitlines`: it also breaks at separators that JSON leaves as they are.
            artifacts.lines[name] = [json.loads(line) for line in text_of(path).split("\n") if line]
        elif name.endswith(".json"):
            artifacts.json[name] = json.loads(text_of(path))
        elif name.endswith(".csv"):
            text = text_of(path)
            if "timeslices" in name:
                artifacts.csv[name] = _slice_rows(text)
            elif role_of(name) == "server_metrics_export.csv":
                artifacts.csv[name] = _series_rows(text)
            else:
                artifacts.csv[name] = _csv_sections(text)
        elif name.endswith("_console.txt"):
            artifacts.tables[name] = _tables(text_of(path))
        elif name.endswith(".log"):
            artifacts.log += path.read_text(errors="replace")
    artifacts.trailer = _line_labels(process.stdout)
    return artifacts


def _csv_sections(text: str) -> list[CsvSection]:
    sections: list[CsvSection] = []
    for block in re.split(r"(?:\r\n){2,}", text.strip("\r\n")):
        rows = list(csv.reader(block.splitlines()))
        if not rows or not rows[0]:
            continue
        header = rows[0]
        # A row of a GPU is known by endpoint, GPU and metric; all others by their first cell.
        keys = [header.index(name) for name in GPU_ROW] if set(GPU_ROW) <= set(header) else [0]
        filled = {
            " ".join(row[key] for key in keys): tuple(name for name, cell in zip(header[1:], row[1:]) if cell != "")
            for row in rows[1:]
            if row
        }
        sections.append(CsvSection(header, filled))
    return sections


def _series_rows(text: str) -> list[CsvSection]:
    """A row of server metrics is known by its metric and labels: cells that are neither numbers nor the description."""
    sections = []
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for block in "\n".join(lines).strip("\n").split("\n\n"):
        header, *rows = csv.reader(block.splitlines())
        known: dict[str, tuple[str, ...]] = {}
        for row in rows:
            cells = dict(zip(header, row))
            labels = [f"{name}={cell}" for name, cell in cells.items() if name in SERIES_NAMES or (cell and name not in SERIES_VALUES)]
            known[" ".join(labels)] = tuple(name for name, cell in cells.items() if cell != "")
        sections.append(CsvSection(header, known))
    return sections


def _slice_rows(text: str) -> list[CsvSection]:
    """How many windows there are depends on the time that a run took: rows are metrics with their unit and statistics."""
    header, *rows = csv.reader(text.splitlines())
    stats: dict[str, list[str]] = {}
    for row in rows:
        cells = dict(zip(header, row))
        known = stats.setdefault(f"{cells['Metric']} ({cells['Unit']})", [])
        if cells["Stat"] not in known:
            known.append(cells["Stat"])
    return [CsvSection(header, {metric: tuple(names) for metric, names in stats.items()})]


def _tables(text: str) -> dict[str, Table]:
    """Tables by title: the last text before the upper border."""
    tables: dict[str, Table] = {}
    title, current, last = "", Table(), ""
    for line in text.splitlines():
        if line.startswith("┏"):
            named = TITLE.match(title)
            current = Table(program=named["program"] if named else "")
            tables[named["title"] if named else title.strip()] = current
        elif line.startswith("┃"):
            current.columns = _cells(line, "┃")
        elif line.startswith("│") and current.columns:
            label, *cells = _cells(line, "│")
            if label and not any(cells) and last:
                # A unit that did not fit next to its header is on the next line.
                current.rows[f"{last} {label}"] = current.rows.pop(last)
                last = ""
            elif label:
                filled = zip(current.columns[1:], cells)
                current.rows[label] = tuple(name for name, cell in filled if cell not in ("", "N/A"))
                last = label
        elif line.startswith("└"):
            current = Table()
        elif line.strip():
            title = line
    return tables


def _cells(line: str, bar: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip(bar).split(bar)]


def _line_labels(stdout: str) -> list[str]:
    """Labels of the lines after the tables, `CSV Export` for `CSV Export: /some/path`, and which notes there are."""
    lines = [line for line in stdout.splitlines() if not LOG_LINE.match(line)]
    labels = [match["label"] for match in map(LINE_LABEL.match, lines) if match]
    return labels + [note for note, word in NOTES.items() if any(map(word.search, lines))]
