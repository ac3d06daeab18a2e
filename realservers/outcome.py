"""What came of a trial."""

from dataclasses import dataclass, field

import wire
from checks import Check, Sums
from counters import Counted
from server import Server
from talk import Talk
from trial import Trial


@dataclass
class Outcome:
    server: Server
    version: str
    trial: Trial | Talk
    ours: Sums | None = None
    usage: wire.Usage | None = None
    counted: Counted = Counted()
    checks: list[Check] = field(default_factory=list)
    # Why there was nothing to check.
    failure: str = ""

    @property
    def good(self) -> bool:
        return not self.failure and all(check.good for check in self.checks)
