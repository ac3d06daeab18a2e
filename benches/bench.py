"""What all cases share: the programs, a folder for each run, and how much is asked of the machine."""

import itertools
import statistics
from dataclasses import dataclass, field
from pathlib import Path

import measured
from programs import Program
from simulator import Simulator

RUN_LIMIT_S = 900.0
STARTUP_ROUNDS = 3
# Ten short streams from a server without latency: nearly all of it is starting and ending.
STARTUP_FLAGS = "--streaming --isl 32 --osl 8 --concurrency 2 --request-count 10"


@dataclass
class Bench:
    ours: Program
    oha: Program | None
    theirs: Program | None
    work: Path
    quick: bool
    trace: Path | None = None
    # The simulator of every run, whichever program is measured.
    server_program: Path | None = None
    bare_client: Path | None = None
    _numbers: itertools.count = field(default_factory=itertools.count)
    _startups: dict[str, tuple[float, float]] = field(default_factory=dict)

    def count(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def rounds(self) -> int:
        return 1 if self.quick else 3

    def folder(self, name: str) -> Path:
        path = self.work / f"{next(self._numbers):03}-{name}"
        path.mkdir(parents=True)
        return path

    def simulator(
        self, folder: Path, keep_truth: bool = False, cores: set[int] | None = None, threads: int = 1, **options: object
    ) -> Simulator:
        program = self.server_program or self.ours.path
        return Simulator(program, folder, keep_truth, cores, threads=threads, **options)

    def profile(
        self, program: Program, folder: Path, url: str, flags: str, tokenizer: str = "builtin", cores: set[int] | None = None
    ) -> measured.Measured:
        return program.profile(url, flags, folder, RUN_LIMIT_S, tokenizer, cores)

    def startup(self, program: Program) -> tuple[float, float]:
        """Wall and CPU seconds of a run of ten requests: medians, measured once."""
        if program.name not in self._startups:
            runs = []
            for _ in range(STARTUP_ROUNDS):
                folder = self.folder(f"startup-{program.name}")
                with self.simulator(folder, ttft=0, itl=0) as server:
                    runs.append(self.profile(program, folder, server.url, STARTUP_FLAGS))
            wall = statistics.median(run.wall_s for run in runs)
            self._startups[program.name] = wall, statistics.median(run.cpu_s for run in runs)
        return self._startups[program.name]
