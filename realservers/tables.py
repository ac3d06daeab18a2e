"""Outcomes for the terminal, and as a table of the document."""

from metrics_page import Count, Page
from outcome import Outcome

HEADER = ["server", "endpoint type", "requests", "input tokens", "output tokens", "mean TTFT ms", "checks"]
PAGE_HEADER = ["count", "ours", "explained", "page", ""]


def for_terminal(outcome: Outcome) -> str:
    lines = [f"\n{outcome.server.title} {outcome.version} ({outcome.server.name}): {outcome.trial.name}"]
    for check in outcome.checks:
        lines.append(f"  {'pass' if check.good else 'FAIL'}  {check.what}: {check.ours}, server {check.theirs}")
    lines += _page(outcome.page) if outcome.page else []
    if outcome.failure:
        lines.append(f"  FAIL  {outcome.failure}")
    return "\n".join(lines)


def _page(page: Page) -> list[str]:
    """What the run scraped from the metrics page next to what it counted."""
    if page.failure:
        return [f"  FAIL  {page.failure}"]
    rows = [PAGE_HEADER]
    for count in page.counts:
        verdict = "pass" if count.good else "FAIL"
        rows.append([count.what, _number(count.ours), explained(count), _number(count.page), verdict])
    widths = [max(len(row[column]) for row in rows) for column in range(len(PAGE_HEADER))]
    table = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return ["  the metrics page, as the run scraped it:", *table, f"  metrics of the table: {', '.join(page.table) or 'none'}"]


def explained(count: Count) -> str:
    least, most = count.explained.least, count.explained.most
    if least == most == 0:
        return "0"
    amount = f"{least:.0f}" if least == most else f"{least:.0f} to {most:.0f}"
    return f"{amount} ({count.explained.why})"


def _number(count: float | None) -> str:
    return "none" if count is None else f"{count:.0f}"


def for_document(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def row(outcome: Outcome) -> list[str]:
    server = f"{outcome.server.title} {outcome.version}"
    ours, usage, counted = outcome.ours, outcome.usage, outcome.counted
    if ours is None:
        return [server, name(outcome.trial.name), "", "", "", "", "did not run"]
    trial = outcome.trial
    bad = sum(not check.good for check in outcome.checks)
    verdict = f"{len(outcome.checks)} pass" if not bad else f"{bad} of {len(outcome.checks)} FAIL"
    usage_in = usage.input_tokens if usage and trial.usage_counts_input else None
    usage_out = usage.output_tokens if usage and trial.usage_counts_output else None
    return [
        server,
        name(trial.name),
        _cell(ours.succeeded, counted.requests),
        _cell(ours.input_tokens, usage_in, counted.input_tokens),
        _cell(ours.output_tokens, usage_out, counted.output_tokens),
        "" if ours.ttft_ms is None else _times(ours.ttft_ms, counted.ttft_ms),
        verdict,
    ]


def name(trial: str) -> str:
    kind, comma, word = trial.partition(",")
    return f"`{kind}`{comma}{word}"


def _times(ours: float, theirs: float | None) -> str:
    return f"{ours:.0f}" if theirs is None else f"{ours:.0f} / {theirs:.0f}"


def _cell(*counts: float | None) -> str:
    """Ours, the server's usage, the server's metrics; a dash for what is not counted. Empty where we count nothing."""
    if counts[0] is None:
        return ""
    if all(count is None for count in counts[1:]):
        return f"{counts[0]:.0f}"
    return " / ".join("–" if count is None else f"{count:.0f}" for count in counts)
