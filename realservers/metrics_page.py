"""The server's metrics page as our program scraped it during a trial, against what our program counted itself. Both are
read from files of the run: server_metrics_export.json and the summary."""

from dataclasses import dataclass

from artifacts import Artifacts  # of conformance/
from counters import Counters, Samples, between

EXPORT = "server_metrics_export.json"


@dataclass(frozen=True)
class Explained:
    """What the page counts and we do not: at least and at most, and why."""

    least: float = 0
    most: float = 0
    why: str = ""


@dataclass(frozen=True)
class Count:
    """One count of the page. `ours` and what is `explained` must give it exactly."""

    what: str
    ours: float | None
    page: float | None
    explained: Explained = Explained()

    @property
    def good(self) -> bool:
        if self.ours is None or self.page is None:
            return False
        return self.ours + self.explained.least <= self.page <= self.ours + self.explained.most


@dataclass(frozen=True)
class Page:
    counts: tuple[Count, ...] = ()
    # Metrics of the table of server metrics, by the names that all engines share.
    table: tuple[str, ...] = ()
    failure: str = ""

    @property
    def good(self) -> bool:
        return not self.failure and all(count.good for count in self.counts)

    def find(self, what: str) -> Count | None:
        return next((count for count in self.counts if count.what == what), None)


def read(trial, where: Counters, run: Artifacts) -> Page:
    export = run.json.get(EXPORT)
    if export is None:
        return Page(failure=f"no {EXPORT}: the page was not scraped")
    counted = between(where, [], samples(run))
    ours = {tag: _value(run.summary, tag) for tag in ("request_count", "total_isl", "total_osl")}
    usage_input = _value(run.summary, "total_usage_prompt_tokens") if trial.usage_counts_input else None
    usage_output = _value(run.summary, "total_usage_completion_tokens") if trial.usage_counts_output else None
    requests = ours["request_count"] or 0
    template = requests * trial.template_tokens
    least, most = (requests * unseen for unseen in trial.unseen_tokens)
    more = requests * (trial.counted_as - 1)
    counts = []
    if counted.requests is not None:
        explained = Explained(more, more, trial.counted_as_why)
        counts.append(Count("requests", ours["request_count"], counted.requests, explained))
    if counted.input_tokens is not None and trial.tokenizer:
        explained = Explained(template, template, trial.template_why)
        counts.append(Count("input tokens", ours["total_isl"], counted.input_tokens, explained))
    if counted.output_tokens is not None and trial.tokenizer and trial.recounts:
        explained = Explained(least, most, trial.unseen_why)
        counts.append(Count("output tokens", ours["total_osl"], counted.output_tokens, explained))
    if counted.input_tokens is not None and usage_input is not None:
        counts.append(Count("prompt tokens of usage", usage_input, counted.input_tokens))
    if counted.output_tokens is not None and usage_output is not None:
        counts.append(Count("completion tokens of usage", usage_output, counted.output_tokens))
    table, own = _table(export, where.engine)
    if where.engine:
        # The table of the run must say what its page says.
        pairs = (
            ("finished_requests", counted.requests),
            ("prompt_tokens", counted.input_tokens),
            ("generation_tokens", counted.output_tokens),
        )
        counts += [Count(f"{tag} of the table", own.get(tag), page) for tag, page in pairs if page is not None]
    return Page(tuple(counts), table)


def samples(run: Artifacts) -> Samples:
    """Totals of the profiling phase, under the names that samples have on the page."""
    found: Samples = []
    for family, metric in run.json.get(EXPORT, {"metrics": {}})["metrics"].items():
        for series in metric["series"]:
            labels, stats = series.get("labels") or {}, series.get("stats") or {}
            if "total" in stats:
                # The export leaves out the suffix of counters, and some counters have none.
                found += [(family, labels, stats["total"]), (f"{family}_total", labels, stats["total"])]
            found += [(f"{family}_{part}", labels, stats[part]) for part in ("sum", "count") if part in stats]
    return found


def _table(export: dict, engine: str) -> tuple[tuple[str, ...], dict[str, float]]:
    """Metrics of the engine's table, and the totals of its counters. Of several endpoints the first is their sum."""
    tables = [table["metrics"] for table in export.get("engines") or [] if table["engine"] == engine]
    metrics = tables[0] if tables else {}
    return tuple(metrics), {tag: value["total"] for tag, value in metrics.items() if "total" in value}


def _value(summary: dict, tag: str) -> float | None:
    return (summary.get(tag) or {}).get("avg")
