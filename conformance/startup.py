"""The cost of starting: ten requests to a server without latency, and `--help`."""

import statistics
from dataclasses import dataclass
from pathlib import Path

import tools
from simulator import Simulator

ROUNDS = 3
LIMIT = 1 / 20
FLAGS = ("--endpoint-type", "chat", "--streaming", "--isl", "32", "--osl", "8", "--concurrency", "2", "--request-count", "10")
SIM = {"ttft": "0", "itl": "0"}


@dataclass(frozen=True)
class Cost:
    what: str
    reference_s: float
    ours_s: float
    bound: bool

    @property
    def ratio(self) -> float:
        return self.ours_s / self.reference_s

    @property
    def good(self) -> bool:
        return not self.bound or self.ratio <= LIMIT


def measure(reference: tools.Tool, ours: tools.Tool, folder: Path) -> list[Cost]:
    """Medians of a few rounds, the tools taking turns."""
    runs: dict[str, list] = {"reference": [], "ours": []}
    helps: dict[str, list] = {"reference": [], "ours": []}
    for number in range(ROUNDS):
        for name, tool in (("reference", reference), ("ours", ours)):
            place = folder / f"{name}-{number}"
            place.mkdir(parents=True)
            simulator = Simulator(ours.program, SIM, place)
            try:
                finished = tool.profile(FLAGS, simulator.url, place)
            finally:
                simulator.stop()
            if finished.rc != 0:
                raise RuntimeError(f"the start-up run of {name} failed; see {place}")
            runs[name].append(finished)
            helps[name].append(tool.run(("--help",), place))
    return [
        _cost("10 requests: wall time", runs, "wall_s", bound=True),
        _cost("10 requests: CPU time", runs, "cpu_s", bound=True),
        _cost("`aiperf --help`: wall time", helps, "wall_s", bound=False),
        _cost("`aiperf --help`: CPU time", helps, "cpu_s", bound=False),
    ]


def _cost(what: str, runs: dict[str, list], part: str, bound: bool) -> Cost:
    def median(name: str) -> float:
        return statistics.median(getattr(run, part) for run in runs[name])

    return Cost(what, median("reference"), median("ours"), bound)
