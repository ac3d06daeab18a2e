"""What came of a trial."""

from dataclasses import dataclass, field

import wire
from checks import Check, Sums
from counters import Counted
from metrics_page import Page
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
    # `None`: the server has no metrics page, or the trial does not scrape it.
    page: Page | None = None
    # Why there was nothing to check.
    failure: str = ""

    @property
    def good(self) -> bool:
        return not self.failure and all(check.good for check in self.checks) and (self.page is None or self.page.good)
