"""The result on the terminal and as docs/conformance.md."""

from collections import defaultdict
from dataclasses import dataclass, field

import expected
from artifacts import Artifacts
from cases import Case
from differences import Difference
from startup import LIMIT, Cost
from truth import MEASURES, Errors, verdicts


@dataclass
class Outcome:
    case: Case
    reference: Artifacts
    ours: Artifacts
    differences: list[Difference]
    reference_errors: Errors
    our_errors: Errors

    def unexpected(self) -> list[Difference]:
        return [difference for difference in self.differences if not expected.reason_for(difference)]

    @property
    def good(self) -> bool:
        return not self.unexpected()


@dataclass
class Result:
    reference_version: str
    our_version: str
    outcomes: list[Outcome] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return all(outcome.good for outcome in self.outcomes) and all(cost.good for cost in self.costs)


def print_outcome(outcome: Outcome) -> None:
    unexpected = outcome.unexpected()
    print(f"\n== {outcome.case.name}: {outcome.case.title}")
    print(f"   {len(outcome.differences) - len(unexpected)} expected differences, {len(unexpected)} unexpected")
    for difference in unexpected:
        print(f"   ! {difference}"[:600])
    if outcome.case.timed:
        for v in verdicts(outcome.reference_errors, outcome.our_errors):
            print(f"   {v.measure:8} {v.statistic}: reference {v.reference_ms:8.3f} ms, ours {v.ours_ms:8.3f} ms {'' if v.good else '<-- farther'}")
        for name, errors in (("reference", outcome.reference_errors), ("ours", outcome.our_errors)):
            print(f"   {name}: compared {errors.compared}, wrong tokens {errors.wrong_tokens}, without record {errors.without_record}")


def print_costs(costs):
    for cost in costs:
        print(f"   {cost.what}: reference {cost.reference_s:.3f} s, ours {cost.ours_s:.3f} s, 1/{1 / cost.ratio:.0f}")


def print_totals(result):
    print("good" if result.good else "NOT good")


def document(result):
    return ""
