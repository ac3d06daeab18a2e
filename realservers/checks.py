"""Holds what our program counted against what the server said and counted."""

from dataclasses import dataclass

import wire
from artifacts import Artifacts  # of conformance/
from counters import Counted

# Clocks of two processes: the server's starts later and ends earlier than the client's, but for the last digits.
TIME_SLACK_MS = 1.0


@dataclass(frozen=True)
class Check:
    what: str
    ours: str
    theirs: str
    good: bool


@dataclass(frozen=True)
class Sums:
    """Over the records that our program wrote; `None`: it has no such metric."""

    succeeded: int
    failed: int
    input_tokens: float | None
    output_tokens: float | None
    usage_input: float | None
    usage_output: float | None
    ttft_ms: float | None
    # Until the end of the stream, where servers stop their clocks; the metric ends at the last content.
    whole_ms: float | None

    @classmethod
    def of(cls, run: Artifacts) -> "Sums":
        records = [record for record in run.records if not record.get("error")]
        good = [record["metrics"] for record in records]
        spans = [record["metadata"]["request_end_ns"] - record["metadata"]["request_start_ns"] for record in records]

        def values(metric: str) -> list[float]:
            return [metrics[metric]["value"] for metrics in good if metric in metrics]

        def total(metric: str) -> float | None:
            return sum(found) if (found := values(metric)) else None

        def mean(metric: str) -> float | None:
            return sum(found) / len(found) if (found := values(metric)) else None

        return cls(
            succeeded=len(good),
            failed=len(run.records) - len(good),
            input_tokens=total("input_sequence_length"),
            output_tokens=total("output_sequence_length"),
            usage_input=total("usage_prompt_tokens"),
            usage_output=total("usage_completion_tokens"),
            ttft_ms=mean("time_to_first_token"),
            whole_ms=sum(spans) / len(spans) / 1e6 if spans else None,
        )


def of(trial, run: Artifacts, ours: Sums, usage: wire.Usage | None, counted: Counted) -> list[Check]:
    checks = [
        Check("exit code", str(run.process.rc), "0", run.process.rc == 0),
        same("requests answered", ours.succeeded, trial.requests, "asked for"),
        same("requests failed", ours.failed, 0, "wanted"),
    ]
    if counted.requests is not None:
        checks.append(same("requests", ours.succeeded * trial.counted_as, counted.requests, "metrics"))
    n = ours.succeeded
    if usage and trial.usage_counts_input:
        checks.append(same("prompt tokens as read", ours.usage_input, usage.input_tokens, "sent"))
        if trial.tokenizer:
            expected = (ours.input_tokens or 0) + n * trial.template_tokens
            checks.append(same("input tokens", expected, usage.input_tokens, "usage"))
    if usage and trial.usage_counts_output:
        checks.append(same("completion tokens as read", ours.usage_output, usage.output_tokens, "sent"))
        if trial.tokenizer and trial.recounts:
            least, most = ((ours.output_tokens or 0) + n * unseen for unseen in trial.unseen_tokens)
            bounds = f"{least:.0f}" if least == most else f"{least:.0f} to {most:.0f}"
            good = least <= usage.output_tokens <= most
            checks.append(Check("output tokens", bounds, f"{usage.output_tokens} (usage)", good))
    if usage and counted.input_tokens is not None:
        checks.append(same("usage: input tokens", usage.input_tokens, counted.input_tokens, "metrics"))
    if usage and counted.output_tokens is not None:
        checks.append(same("usage: output tokens", usage.output_tokens, counted.output_tokens, "metrics"))
    checks += _times(ours, counted)
    return checks


def _times(ours: Sums, counted: Counted) -> list[Check]:
    """A client cannot see an answer before the server has it."""
    pairs = (
        ("mean TTFT", ours.ttft_ms, counted.ttft_ms),
        ("mean time of a request", ours.whole_ms, counted.latency_ms),
    )
    return [
        Check(what, f"{mine:.1f} ms", f"at least {theirs:.1f} ms (metrics)", mine >= theirs - TIME_SLACK_MS)
        for what, mine, theirs in pairs
        if mine is not None and theirs is not None
    ]


def same(what: str, ours: float | None, theirs: float, source: str) -> Check:
    mine = "none" if ours is None else f"{ours:.0f}"
    return Check(what, mine, f"{theirs:.0f} ({source})", ours == theirs)
