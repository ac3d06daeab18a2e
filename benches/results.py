"""What a case hands back: figures of each tool, and checks against a bound."""

from dataclasses import dataclass, field

# Figures that a tool may have in a case, in the order of the table's columns.
COLUMNS = {
    "requests": "requests",
    "rate": "requests/s",
    "cpu_per_1000": "CPU s per 1,000",
    "cpu_per_chunk": "CPU µs per chunk",
    "ttft_error": "TTFT error ms, p50 / p99 / max",
    "send_error": "send ms, p50 / p99",
    "in_flight": "most in flight",
    "rss": "peak RSS MB",
    "wall": "wall s",
    "cpu": "CPU s",
    "server_cpu": "simulator CPU s",
    "stolen": "CPU taken by the host %",
}


@dataclass(frozen=True)
class Figures:
    tool: str
    what: str
    cells: dict[str, str]


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

    def add(self, tool: str, what: str, **cells: str) -> None:
        self.figures.append(Figures(tool, what, cells))


def number(value: float) -> str:
    """Three significant figures, or whole with separators."""
    if value != value or abs(value) == float("inf"):
        return "-"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
