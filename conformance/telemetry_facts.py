"""Values of telemetry files that must be equal between the tools: those that do not depend on when a page was scraped."""

from typing import Any

from artifacts import Artifacts

FILE = "server_metrics_export.json"
LINES = "server_metrics_export.jsonl"
GPU_LINES = "gpu_telemetry_export.jsonl"
# Counters and histograms that follow from what was asked and answered.
COUNTED = (
    "vllm:prompt_tokens",
    "vllm:generation_tokens",
    "vllm:request_success",
    "vllm:request_prompt_tokens",
    "vllm:request_generation_tokens",
    "vllm:e2e_request_latency_seconds",
    "vllm:time_to_first_token_seconds",
)


def server_metrics(artifacts: Artifacts) -> dict[str, Any]:
    document = artifacts.json.get(FILE, {})
    found: dict[str, Any] = {
        f"server metrics: {key}": document.get("summary", {}).get(key) for key in ("endpoints_configured", "endpoints_successful")
    }
    for name, metric in document.get("metrics", {}).items():
        found[f"server metric {name}"] = tuple(metric.get(key) for key in ("type", "unit", "description"))
        labels = [sorted(series.get("labels", {}).items()) for series in metric["series"]]
        found[f"server metric {name}: labels"] = sorted(labels)
        if name in COUNTED:
            found[f"server metric {name}: total"] = sorted(_total(series["stats"]) for series in metric["series"])
    return found


def _total(stats: dict[str, float]) -> float:
    """Counters that are interpolated at the start of the phase are whole only up to rounding."""
    return round(stats.get("total", stats.get("count", 0.0)), 6)


def scraped_pages(artifacts: Artifacts) -> dict[str, Any]:
    lines = artifacts.lines.get(LINES, [])
    return {
        "scraped pages: addresses": sorted({line["endpoint_url"] for line in lines}),
        "scraped pages: metrics": sorted({name for line in lines for name in line["metrics"]}),
        "scraped pages: in order of time": all(a["timestamp_ns"] <= b["timestamp_ns"] for a, b in zip(lines, lines[1:])),
    }


def gpus(artifacts: Artifacts) -> dict[str, Any]:
    lines = artifacts.lines.get(GPU_LINES, [])
    identity = ("gpu_index", "gpu_uuid", "gpu_model_name", "pci_bus_id", "device", "hostname", "platform", "telemetry_source_url")
    telemetry = artifacts.summary.get("telemetry_data", {})
    found: dict[str, Any] = {
        "GPUs": sorted({tuple(line.get(key) for key in identity) for line in lines}),
        "GPU fields": sorted({key for line in lines for key in line["telemetry_data"]}),
    }
    for endpoint, content in telemetry.get("endpoints", {}).items():
        for name, gpu in content.get("gpus", {}).items():
            units = {key: metric.get("unit") for key, metric in gpu.get("metrics", {}).items()}
            found[f"GPU {endpoint} {name}"] = (gpu.get("gpu_uuid"), sorted(units.items()))
    return found
