"""Differences that are meant, each with its reason. Anything that is not listed here fails the run."""

import re
from dataclasses import dataclass

from differences import Difference


@dataclass(frozen=True)
class Expectation:
    reason: str
    area: str
    where: str
    cases: str = ".*"
    reference: str = ".*"
    ours: str = ".*"

    def covers(self, difference: Difference) -> bool:
        return all(
            re.fullmatch(pattern, text, re.DOTALL)
            for pattern, text in (
                (self.area, difference.area),
                (self.where, difference.where),
                (self.cases, difference.case),
                (self.reference, difference.reference),
                (self.ours, difference.ours),
            )
        )


EXPECTED: tuple[Expectation, ...] = ()


def reason_for(difference: Difference) -> Expectation | None:
    return next((entry for entry in EXPECTED if entry.covers(difference)), None)
