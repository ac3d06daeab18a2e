"""A run that applies one request rate for some time: how many requests violate an objective, and in which bursts."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

# Longer blocks than this many in a run say nothing about the variance between blocks.
LEAST_BLOCKS = 20
FIRST_BLOCK = 10


@dataclass(frozen=True)
class HeldRate:
    requests: int
    share: float
    allowed: float
    design_effect: float

    @property
    def verdict(self) -> str:
        error = math.sqrt(self.design_effect * self.allowed * (1 - self.allowed) / self.requests)
        if self.share <= self.allowed:
            return "kept"
        return "above, within chance" if self.share - self.allowed <= 2.5 * error else "violated"

    def __str__(self) -> str:
        return (
            f"{self.share:.2%} of {self.requests} requests violate the SLO ({self.allowed:.0%} allowed): {self.verdict}; "
            f"design effect {self.design_effect:.1f}"
        )


def read(folder: Path, metric: str, limit: float, allowed: float) -> HeldRate:
    """From the records of a run. A request without the metric, such as a failed one, violates the objective."""
    lines = [json.loads(line) for line in (folder / "profile_export.jsonl").read_text().splitlines()]
    lines.sort(key=lambda line: line["metadata"]["request_end_ns"])
    late = [int(line["metrics"].get(metric, {"value": math.inf})["value"] > limit) for line in lines]
    return HeldRate(len(late), sum(late) / len(late), allowed, design_effect(late))


def design_effect(violations: list[int]) -> float:
    """Variance of counts in blocks over that of independent requests; the block length is doubled until it stops growing."""
    share, best, length = sum(violations) / len(violations), 1.0, FIRST_BLOCK
    while len(violations) // length >= LEAST_BLOCKS and 0 < share < 1:
        blocks = [sum(violations[at : at + length]) for at in range(0, len(violations) - length + 1, length)]
        mean = sum(blocks) / len(blocks)
        variance = sum((count - mean) ** 2 for count in blocks) / (len(blocks) - 1)
        best = max(best, variance / (length * share * (1 - share)))
        length *= 2
    return best
