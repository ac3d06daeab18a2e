"""What a server counts itself, read from its Prometheus endpoint."""

import re
import urllib.request
from dataclasses import dataclass

# The first page of some servers takes its time.
READ_LIMIT_S = 60.0
SAMPLE = re.compile(r"^(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+\d+)?$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

Samples = list[tuple[str, dict[str, str], float]]


@dataclass(frozen=True)
class Counter:
    """All samples of a name that have these labels, added up."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()

    def of(self, samples: Samples) -> float:
        wanted = set(self.labels)
        return sum(value for name, labels, value in samples if name == self.name and wanted <= set(labels.items()))


@dataclass(frozen=True)
class Counters:
    """Where a server's counts stand. Several counters of one thing are added up; none: it does not count that."""

    path: str = "/metrics"
    # The name under which our program prints the engine's metrics; empty: it has no table for this server.
    engine: str = ""
    requests: tuple[Counter, ...] = ()
    input_tokens: tuple[Counter, ...] = ()
    output_tokens: tuple[Counter, ...] = ()
    # Sums of seconds, with the number of observations next to them.
    ttft: tuple[Counter, Counter] | None = None
    latency: tuple[Counter, Counter] | None = None

    def page(self, url: str) -> str:
        with urllib.request.urlopen(url + self.path, timeout=READ_LIMIT_S) as answer:
            return answer.read().decode()

    def read(self, url: str) -> Samples:
        return parse(self.page(url))


@dataclass(frozen=True)
class Counted:
    """What was added between two readings; `None`: not counted there."""

    requests: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    ttft_ms: float | None = None
    latency_ms: float | None = None


def parse(text: str) -> Samples:
    matches = (SAMPLE.match(line) for line in text.splitlines() if not line.startswith("#"))
    return [(m["name"], dict(LABEL.findall(m["labels"] or "")), float(m["value"])) for m in matches if m]


def between(counters: Counters, before: Samples, after: Samples) -> Counted:
    def added(group: tuple[Counter, ...]) -> float | None:
        return sum(counter.of(after) - counter.of(before) for counter in group) if group else None

    def mean_ms(pair: tuple[Counter, Counter] | None) -> float | None:
        if pair is None:
            return None
        seconds, count = (counter.of(after) - counter.of(before) for counter in pair)
        return seconds / count * 1000 if count else None

    return Counted(
        requests=added(counters.requests),
        input_tokens=added(counters.input_tokens),
        output_tokens=added(counters.output_tokens),
        ttft_ms=mean_ms(counters.ttft),
        latency_ms=mean_ms(counters.latency),
    )
