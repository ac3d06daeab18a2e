"""Values that must be equal between the tools: those that the flags decide, and those that the requests decide."""

from collections import Counter
from typing import Any

from artifacts import Artifacts
from phases import summary_agrees
from shape import leaves

STATISTICS = ("avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std", "count", "sum")
# Metrics that follow from what was asked and answered, not from when.
COUNTED = {
    "completed_request_count",
    "context_overflow_count",
    "error_isl",
    "error_request_count",
    "good_request_count",
    "good_request_fraction",
    "http_req_chunks_sent",
    "input_sequence_length",
    "osl_mismatch_count",
    "osl_mismatch_diff_pct",
    "output_sequence_length",
    "output_token_count",
    "reasoning_token_count",
    "request_count",
    "request_error_rate",
    "total_error_isl",
    "total_isl",
    "total_osl",
    "total_output_tokens",
    "total_reasoning_tokens",
    "overall_usage_prompt_cache_read_pct",
}
# Parts of the configuration that name the run's own place.
OWN_PLACE = (".urls[", "artifacts.dir")

# Where bodies have what was asked, which each tool generates for itself.
PROMPTS = ("messages", "prompt", "input", "inputs", "query", "documents", "texts", "passages", "image", "file")


def always(artifacts: Artifacts) -> dict[str, Any]:
    """What the flags decide."""
    found: dict[str, Any] = {"artifact folder": artifacts.folder.name}
    summary = artifacts.summary
    for key in ("schema_version", "aiperf_version", "was_cancelled", "is_complete", "incomplete_reason"):
        if key in summary:
            found[f"summary {key}"] = summary[key]
    for path, value in leaves(summary.get("input_config", {})):
        if not any(place in path for place in OWN_PLACE):
            found[f"input_config {path}"] = _without_place(value, artifacts)
    for key in ("random_seed", "trial"):
        if key in summary.get("run_info", {}):
            found[f"run_info {key}"] = summary["run_info"][key]
    for name in (".aiperf_results_ready.json", "phase_manifest.json"):
        for path, value in leaves(artifacts.json.get(name, {})):
            if not path.endswith(("_ns", "_id", "_sec")):
                found[f"{name} {path}"] = value
    found |= _inputs(artifacts)
    found["phases: the summary agrees with the log"] = summary_agrees(summary, artifacts.log)
    for key in ("worker_id", "record_processor_id"):
        found[f"records: {key} named on every line"] = all(line["metadata"].get(key) for line in artifacts.records)
    return found


def _without_place(value: Any, artifacts: Artifacts) -> Any:
    """Each run has a folder of its own."""
    return value.replace(str(artifacts.folder.parent), "RUN") if isinstance(value, str) else value


def _inputs(artifacts: Artifacts) -> dict[str, Any]:
    sessions = artifacts.json.get("inputs.json", {}).get("data", [])
    settings: Counter[str] = Counter()
    for session in sessions:
        for payload in session["payloads"]:
            bare = {key: value for key, value in payload.items() if key not in PROMPTS}
            settings[str(sorted(bare.items()))] += 1
    return {
        "inputs.json session ids": [session["session_id"] for session in sessions],
        "inputs.json payloads of each session": [len(session["payloads"]) for session in sessions],
        "inputs.json fields other than the prompt": settings,
    }


def counted(artifacts: Artifacts) -> dict[str, Any]:
    """What the requests and their answers decide."""
    found: dict[str, Any] = {}
    summary = artifacts.summary
    for scope, metrics in (("", summary), ("warmup ", summary.get("warmup_metrics", {}))):
        for tag, metric in metrics.items():
            if not (isinstance(metric, dict) and "unit" in metric):
                continue
            for statistic in STATISTICS:
                if statistic in metric and (_is_counted(tag) or statistic == "count"):
                    found[f"summary {scope}{tag} {statistic}"] = round(metric[statistic], 9)
    failures: Counter[tuple] = Counter()
    for entry in summary.get("error_summary", []):
        # Messages differ between the tools, and may differ from request to request.
        failures[_code_and_type(entry["error_details"])] += entry["count"]
    if summary:
        found["error_summary: codes and types"] = failures
    return found | _records(artifacts) | _raw(artifacts)


def _is_counted(tag: str) -> bool:
    return tag in COUNTED or "usage_" in tag


def _records(artifacts: Artifacts) -> dict[str, Any]:
    records = artifacts.records
    metadata = [line["metadata"] for line in records]
    found: dict[str, Any] = {
        "records: number by phase": Counter(entry["benchmark_phase"] for entry in metadata),
        "records: errors": Counter(_code_and_type(line["error"]) for line in records if line.get("error")),
        "records: was_cancelled": Counter(entry["was_cancelled"] for entry in metadata),
        "records: with request_ack_ns": Counter("request_ack_ns" in entry for entry in metadata),
        "records: session_num": sorted((entry["phase_index"], entry["session_num"]) for entry in metadata),
        "records: turn_index": Counter(entry["turn_index"] for entry in metadata),
        "records: phase fields": Counter(
            str([entry.get(key) for key in ("phase_index", "profiling_index", "phase_name", "phase_kind", "agent_depth")])
            for entry in metadata
        ),
        "records: conversations": Counter(entry["conversation_id"] for entry in metadata),
    }
    for tag in sorted({tag for line in records for tag in line["metrics"]}):
        values = [line["metrics"][tag]["value"] for line in records if tag in line["metrics"]]
        found[f"records: lines with {tag}"] = len(values)
        if _is_counted(tag):
            found[f"records: values of {tag}"] = Counter(values)
    return found


def _code_and_type(details: dict) -> tuple:
    return (str(details.get("code", "no code")), details.get("type"))


def _raw(artifacts: Artifacts) -> dict[str, Any]:
    if not artifacts.raw:
        return {}
    whole = [line for line in artifacts.raw if not line.get("error")]
    return {
        "raw: status": Counter(str(line.get("status")) for line in artifacts.raw),
        "raw: header names": Counter(str(sorted(line["request_headers"])) for line in artifacts.raw),
        "raw: responses of a line": Counter(len(line["responses"]) for line in whole),
        "raw: packet names": Counter(
            packet["name"] for line in whole for part in line["responses"] for packet in part.get("packets", [])
        ),
        "raw: fields other than the prompt": Counter(
            str(sorted((key, value) for key, value in line["payload"].items() if key not in PROMPTS))
            for line in artifacts.raw
        ),
    }
