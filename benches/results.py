"""What a case hands back: figures of each tool, and checks against a bound."""

import statistics
from dataclasses import dataclass, field

# Figures that a tool may have in a case, in the order of the table's columns.
COLUMNS = {
    "requests": "requests",
    "rate": "requests/s",
    "chunk_rate": "chunks/s",
    "cpu_per_1000": "CPU s per 1,000",
    "cpu_per_chunk": "CPU µs per chunk",
    "of_bare": "CPU of bare client",
    "ttft_error": "TTFT error ms, p50 / p99 / max",
    "send_error": "start to arrival ms, p50 / p99",
    "issue_to_start": "credit to start ms, p50 / p99",
    "gap_error": "gap error ms, p50 / p99",
    "merged": "merged gaps %",
    "in_flight": "most in flight",
    "rss": "peak RSS MB",
    "wall": "wall s",
    "cpu": "CPU s",
    "view_cpu": "CPU s of the threads of the views",
    "server_cpu": "simulator CPU s",
    "server_cpu_per_chunk": "simulator CPU µs per chunk",
    "scrapes": "scrapes",
    "stolen": "CPU taken by the host %",
}

# One number, or several that stand in one cell.
Cell = float | tuple[float, ...]


@dataclass(frozen=True)
class Figures:
    tool: str
    what: str
    cells: dict[str, Cell]


@dataclass(frozen=True)
class Check:
    what: str
    measured: float
    bound: float
    unit: str
    # `bound` is the least that is good, not the most.
    at_least: bool = False
    # Where the bound comes from, when it is not absolute: "2 x oha's 0.010".
    basis: str = ""

    @property
    def good(self) -> bool:
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    @property
    def ratio(self) -> float:
        """Measured over bound."""
        return self.measured / self.bound if self.bound else float("inf")


@dataclass
class Result:
    case: str
    title: str
    figures: list[Figures] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, tool: str, what: str, **cells: Cell) -> None:
        self.figures.append(Figures(tool, what, cells))


def median_figures(results: list[Result], tool: str) -> list[Figures]:
    """The figures of a tool in several rounds of one case: the median of each number."""
    rounds: dict[str, list[dict[str, Cell]]] = {}
    for result in results:
        for figures in result.figures:
            if figures.tool == tool:
                rounds.setdefault(figures.what, []).append(figures.cells)
    found = []
    for what, cells in rounds.items():
        names = {name for row in cells for name in row}
        found.append(Figures(tool, what, {name: _median([row[name] for row in cells if name in row]) for name in names}))
    return found


def _median(cells: list[Cell]) -> Cell:
    if isinstance(cells[0], tuple):
        return tuple(statistics.median(column) for column in zip(*cells))
    return statistics.median(cells)


def cell_text(cell: Cell) -> str:
    return " / ".join(map(number, cell)) if isinstance(cell, tuple) else number(cell)


def number(value: float) -> str:
    """Three significant figures, or whole with separators."""
    if value != value or abs(value) == float("inf"):
        return "-"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
