"""Outcomes for the terminal, and as a table of the document."""

from outcome import Outcome

HEADER = ["server", "endpoint type", "requests", "input tokens", "output tokens", "mean TTFT ms", "checks"]


def for_terminal(outcome: Outcome) -> str:
    lines = [f"\n{outcome.server.title} {outcome.version} ({outcome.server.name}): {outcome.trial.name}"]
    lines += [
        f"  {'pass' if check.good else 'FAIL'}  {check.what}: {check.ours}, server {check.theirs}" for check in outcome.checks
    ]
    if outcome.failure:
        lines.append(f"  FAIL  {outcome.failure}")
    return "\n".join(lines)


def for_document(outcomes: list[Outcome]) -> str:
    rows = [HEADER, ["---"] * len(HEADER), *(_row(outcome) for outcome in outcomes)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _row(outcome: Outcome) -> list[str]:
    server = f"{outcome.server.title} {outcome.version}"
    ours, usage, counted = outcome.ours, outcome.usage, outcome.counted
    if ours is None:
        return [server, outcome.trial.name, "", "", "", "", "did not run"]
    trial = outcome.trial
    bad = sum(not check.good for check in outcome.checks)
    verdict = f"{len(outcome.checks)} pass" if not bad else f"{bad} of {len(outcome.checks)} FAIL"
    usage_in = usage.input_tokens if usage and trial.usage_counts_input else None
    usage_out = usage.output_tokens if usage and trial.usage_counts_output else None
    return [
        server,
        f"`{trial.name.split(',')[0]}`" + trial.name[len(trial.name.split(",")[0]) :],
        _cell(ours.succeeded, None, counted.requests),
        _cell(ours.input_tokens, usage_in, counted.input_tokens),
        _cell(ours.output_tokens, usage_out, counted.output_tokens),
        f"{ours.ttft_ms:.0f}" + (f" / {counted.ttft_ms:.0f}" if counted.ttft_ms is not None else "") if ours.ttft_ms else "",
        verdict,
    ]


def _cell(*counts: float | None) -> str:
    """Ours, the server's usage, the server's metrics; a dash for what is not counted. Empty where we count nothing."""
    if counts[0] is None:
        return ""
    if len(counts) == 3 and counts[1:] == (None, None):
        return f"{counts[0]:.0f}"
    return " / ".join("–" if count is None else f"{count:.0f}" for count in counts)
