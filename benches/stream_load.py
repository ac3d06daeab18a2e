"""Streams of one shape from the simulator to a client, measured against the truth: shared by the cases with many streams."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import artifacts
import measured
import truth
from bench import RUN_LIMIT_S, Bench
from programs import Program
from results import Cell, Result

BARE = "bare client"


@dataclass(frozen=True)
class StreamLoad:
    """How many streams, how long and how quick."""

    streams: int
    requests: int
    tokens: int
    server: dict[str, object]
    # Of the simulator, and of the bare client.
    threads: int = 1
    # All by default; client and simulator share them.
    cores: set[int] | None = None
    more_flags: str = ""

    @property
    def flags(self) -> str:
        load = f"--concurrency {self.streams} --request-count {self.requests} --num-dataset-entries 100"
        return f"--streaming --isl 32 --osl {self.tokens} {load} {self.more_flags}"


@dataclass(frozen=True)
class Observed:
    run: measured.Measured
    errors: truth.Errors
    # CPU seconds of the client in all, and of the simulator.
    cpu_s: float
    server_cpu_s: float
    notes: list[str] = field(default_factory=list)

    @property
    def cpu_per_chunk_us(self) -> float:
        return self.cpu_s / self.errors.chunks * 1e6 if self.errors.chunks else float("nan")

    def cells(self, bare: "Observed | None" = None) -> dict[str, Cell]:
        errors = self.errors
        cells: dict[str, Cell] = {
            "chunk_rate": errors.chunk_rate,
            "cpu_per_chunk": self.cpu_per_chunk_us,
            "ttft_error": truth.quantiles(errors.ttft, 0.5, 0.99, 1.0),
            "send_error": truth.quantiles(errors.send, 0.5, 0.99),
            "gap_error": truth.quantiles(errors.gap, 0.5, 0.99),
            "merged": errors.merged_percent,
            "in_flight": errors.in_flight,
            "rss": self.run.peak_rss_mb,
            "wall": self.run.wall_s,
            "cpu": self.cpu_s,
            "server_cpu": self.server_cpu_s,
            "server_cpu_per_chunk": self.server_cpu_s / errors.chunks * 1e6 if errors.chunks else float("nan"),
        }
        if errors.issue:
            cells["issue_to_start"] = truth.quantiles(errors.issue, 0.5, 0.99)
        if bare:
            cells["of_bare"] = self.cpu_per_chunk_us / bare.cpu_per_chunk_us
        return cells


def some_cores(count: int) -> set[int]:
    """The first cores of those that this process may use."""
    return set(sorted(os.sched_getaffinity(0))[:count])


def core_count() -> int:
    return len(os.sched_getaffinity(0))


def observe(bench: Bench, program: Program, load: StreamLoad, name: str) -> Observed:
    """A `profile` run."""
    folder = bench.folder(f"{name}-{program.name}")
    with bench.simulator(folder, True, load.cores, load.threads, **load.server) as server:
        run = bench.profile(program, folder, server.url, load.flags, cores=load.cores)
    errors = truth.compare(truth.of_records(artifacts.each_record(folder)), server.each_request())
    notes = [note["code"] for note in artifacts.summary(folder).get("validity", [])]
    observed = Observed(run, errors, run.cpu_s, server.cpu_s, notes)
    _clear(folder)
    return observed


def observe_bare(bench: Bench, load: StreamLoad, name: str) -> Observed | None:
    """The same streams to the bare client, if there is one."""
    if not bench.bare_client:
        return None
    folder = bench.folder(f"{name}-bare")
    records = folder / "records.jsonl"
    with bench.simulator(folder, True, load.cores, load.threads, **load.server) as server:
        words = [f"streams={load.streams}", f"requests={load.requests}", f"tokens={load.tokens}"]
        words += [f"threads={load.threads}", f"output={records}"]
        argv = [str(bench.bare_client), server.url.removeprefix("http://"), *words]
        run = measured.run(argv, folder, dict(os.environ), RUN_LIMIT_S, load.cores)
    with records.open() as lines:
        errors = truth.compare(truth.of_bare_client(map(json.loads, lines)), server.each_request())
    # What it costs to write the records is not part of the measurement.
    observed = Observed(run, errors, json.loads(run.stdout)["cpu_s"], server.cpu_s)
    _clear(folder)
    return observed


def add_both(bench: Bench, result: Result, what: str, load: StreamLoad) -> tuple[Observed, Observed | None]:
    """Measures the bare client and ours and enters both."""
    name = what.replace(" ", "-").replace(",", "")
    bare = observe_bare(bench, load, name)
    if bare:
        result.add(BARE, what, requests=load.requests, **bare.cells())
    ours = observe(bench, bench.ours, load, name)
    result.add(bench.ours.name, what, requests=load.requests, **ours.cells(bare))
    if ours.notes:
        result.notes.append(f"{what}: validity notes of the run: {', '.join(sorted(set(ours.notes)))}")
    return ours, bare


def _clear(folder: Path) -> None:
    """Deletes what is large and was read."""
    for path in (folder / "truth.jsonl", folder / "records.jsonl", artifacts.records_file(folder)):
        path.unlink(missing_ok=True)
