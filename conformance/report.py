"""What the runs came to, and how it is shown on the terminal."""

from dataclasses import dataclass, field

import expected
from artifacts import Artifacts
from case import Case
from differences import Difference
from startup import Cost
from truth import Errors, Verdict, verdicts


@dataclass
class Outcome:
    case: Case
    reference: Artifacts
    ours: Artifacts
    differences: list[Difference]
    reference_errors: Errors
    our_errors: Errors
    # How often the case was run; this is the last time.
    tries: int = 1

    def unexpected(self) -> list[Difference]:
        return [difference for difference in self.differences if not expected.expectation_of(difference)]

    def verdicts(self) -> list[Verdict]:
        return verdicts(self.reference_errors, self.our_errors) if self.case.timed else []

    def farther(self) -> list[Verdict]:
        """Measures in which the typical request of ours is farther from the truth. The tail of one case is the worst of
        a few dozen requests: it is shown, and judged over all cases together."""
        return [verdict for verdict in self.verdicts() if verdict.statistic == "p50" and not verdict.good]

    @property
    def faithful(self) -> bool:
        # Without records there is nothing to compare with the truth.
        return not self.ours.records or self.our_errors.faithful

    @property
    def good(self) -> bool:
        return self.faithful and not self.unexpected() and not self.farther()


@dataclass
class Result:
    reference_version: str
    our_version: str
    outcomes: list[Outcome] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)

    def pooled(self) -> list[Verdict]:
        reference, ours = Errors(), Errors()
        for outcome in self.outcomes:
            if outcome.case.timed:
                reference.extend(outcome.reference_errors)
                ours.extend(outcome.our_errors)
        return verdicts(reference, ours)

    @property
    def good(self) -> bool:
        return (
            all(outcome.good for outcome in self.outcomes)
            and all(verdict.good for verdict in self.pooled() if verdict.statistic != "max")
            and all(cost.good for cost in self.costs)
        )


def print_outcome(outcome: Outcome) -> None:
    unexpected = outcome.unexpected()
    print(f"\n== {outcome.case.name}: {outcome.case.title}")
    print(f"   {len(outcome.differences) - len(unexpected)} expected differences, {len(unexpected)} unexpected")
    for difference in unexpected:
        print(f"   ! {difference}"[:400])
    for name, errors in (("reference", outcome.reference_errors), ("ours", outcome.our_errors)):
        wrong = f"{errors.wrong_outcomes} wrong outcomes, {errors.without_record} requests without a record"
        print(f"   {name}: {errors.compared} requests compared, {errors.wrong_tokens} wrong token counts, {wrong}")
    if not outcome.faithful:
        print("   ! ours does not agree with the server about what happened")
    for verdict in outcome.verdicts():
        _print_verdict(verdict)


def print_costs(costs: list[Cost]) -> None:
    print("\n== startup: ten requests to a server without latency")
    for cost in costs:
        mark = "" if cost.good else "   ! more than 1/20"
        print(f"   {cost.what}: reference {cost.reference_s:.3f} s, ours {cost.ours_s:.3f} s: 1/{1 / cost.ratio:.0f}{mark}")


def print_totals(result: Result) -> None:
    print("\n== all timed cases together: distance from the truth")
    for verdict in result.pooled():
        _print_verdict(verdict)
    failed = [outcome.case.name for outcome in result.outcomes if not outcome.good]
    print("\nconformance:", "good" if result.good else f"NOT good {' '.join(failed)}")


def _print_verdict(verdict: Verdict) -> None:
    mark = "" if verdict.good else "   ! farther"
    numbers = f"reference {verdict.reference_ms:8.3f} ms, ours {verdict.ours_ms:8.3f} ms"
    print(f"   {verdict.measure:8} {verdict.statistic}: {numbers}{mark}")
