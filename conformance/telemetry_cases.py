"""Cases about what the server and its GPUs tell: pages of the simulator, scraped by both tools."""

from case import SPEED, STREAM, Case
from telemetry_facts import gpus, scraped_pages, server_metrics

LOAD = ("--concurrency", "4", "--request-count", "80")
# A queue, so that requests wait at the server too.
SERVER = {**SPEED, "batch": "3", "kv-blocks": "64", "cache": "4096"}

TELEMETRY_CASES = (
    Case(
        "server-metrics",
        "server metrics in all formats",
        (*STREAM, *LOAD, "--server-metrics-formats", "json", "csv", "jsonl", "parquet"),
        SERVER,
        telemetry=("server-metrics",),
        at_server=(server_metrics, scraped_pages),
    ),
    Case(
        "server-metrics-default",
        "server metrics without any option about them",
        (*STREAM, *LOAD),
        SERVER,
        telemetry=("server-metrics",),
        at_server=(server_metrics,),
    ),
    Case(
        "server-metrics-slices",
        "server metrics in windows",
        (*STREAM, *LOAD, "--slice-duration", "0.5"),
        SERVER,
        telemetry=("server-metrics",),
        at_server=(server_metrics,),
    ),
    Case(
        "gpu-telemetry",
        "two GPUs behind a DCGM exporter",
        (*STREAM, *LOAD, "--gpu-telemetry", "{url}/dcgm/metrics"),
        {**SERVER, "gpus": "2", "gpu-refresh": "0"},
        telemetry=("gpu-telemetry",),
        at_server=(gpus,),
    ),
)
