"""What servers count on their metrics pages next to what our program counted, over all trials of a server: the table of
docs/telemetry.md."""

from metrics_page import Count
from outcome import Outcome

# Each count, and that of the server's usage where the text of answers does not tell tokens.
COUNTS = (
    ("requests",),
    ("input tokens", "prompt tokens of usage"),
    ("output tokens", "completion tokens of usage"),
)
HEADER = ["server", "name here", "trials", "requests", "input tokens", "output tokens", "also in the page's counts"]


def rows(outcomes: list[Outcome]) -> list[list[str]]:
    """One for each server with a page. A server whose counts differ says so."""
    by_server: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.page:
            by_server.setdefault(outcome.server.name, []).append(outcome)
    return [_row(name, group) for name, group in by_server.items()]


def _row(name: str, group: list[Outcome]) -> list[str]:
    bad = [outcome.trial.name for outcome in group if not outcome.page.good]
    reasons = sorted({count.explained.why for outcome in group for count in outcome.page.counts if count.explained.most})
    found = [[_first(outcome, names) for outcome in group] for names in COUNTS]
    cells = [_cell([count for count in counts if count]) for counts in found]
    verdict = "; ".join(reasons) if not bad else f"DIFFERS: {', '.join(bad)}"
    return [f"{group[0].server.title} {group[0].version}", name, str(len(group)), *cells, verdict]


def _first(outcome: Outcome, names: tuple[str, ...]) -> Count | None:
    return next((count for count in map(outcome.page.find, names) if count), None)


def _cell(counts: list[Count]) -> str:
    """Ours, what is explained, and the page's; a dash if the page does not have this count."""
    if not counts:
        return "–"
    ours = sum(count.ours or 0 for count in counts)
    page = sum(count.page or 0 for count in counts)
    more = page - ours
    return f"{ours:.0f} + {more:.0f} = {page:.0f}" if more else f"{ours:.0f} = {page:.0f}"
