#!/usr/bin/env python3
"""Writes the artifact folder of a run that never happened, to measure the reports of large runs.

    report_records.py COUNT FOLDER
"""

import json
import math
import os
import random
import sys

START_NS = 1_700_000_000 * 10**9
PER_SECOND = 2_000
NS_PER_MS = 10**6


def line(index: int, due_ms: float, draw: random.Random) -> str:
    output = max(2, round(draw.gauss(120, 40)))
    tokens = max(16, round(draw.gauss(800, 300)))
    ttft = round(60 * math.exp(0.45 * draw.gauss(0, 1)) + tokens * 0.05, 6)
    itl = round(9 * math.exp(0.12 * draw.gauss(0, 1)), 6)
    latency = round(ttft + itl * (output - 1), 6)
    lag = round(0.05 * draw.expovariate(1), 6)
    failed = draw.random() < 0.002

    def at(ms):
        return START_NS + round((due_ms + ms) * NS_PER_MS)

    metadata = {
        "session_num": index, "x_request_id": f"r{index}", "credit_issued_ns": at(0), "request_start_ns": at(lag),
        "request_ack_ns": at(lag + ttft / 2), "request_end_ns": at(lag + (5 if failed else latency)),
        "benchmark_phase": "profiling", "phase_index": 0, "phase_name": "profiling", "was_cancelled": False,
    }
    values = {"schedule_lag": (lag, "ms")}
    if not failed:
        gaps = [round(itl * math.exp(0.2 * draw.gauss(0, 1)), 6) for _ in range(8)]
        values |= {
            "time_to_first_token": (ttft, "ms"), "inter_token_latency": (itl, "ms"), "request_latency": (latency, "ms"),
            "time_to_first_token_from_due": (round(ttft + lag, 6), "ms"), "request_latency_from_due": (round(latency + lag, 6), "ms"),
            "input_sequence_length": (tokens, "tokens"), "output_sequence_length": (output, "tokens"),
            "inter_chunk_latency": (gaps, "ms"),
        }
    record = {"metadata": metadata, "metrics": {name: {"value": value, "unit": unit} for name, (value, unit) in values.items()}}
    if failed:
        record["error"] = {"code": 503, "type": "Service Unavailable", "message": "overloaded"}
    return json.dumps(record, separators=(",", ":"))


def write(count: int, folder: str):
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(42)
    due_ms = 0.0
    with open(os.path.join(folder, "profile_export.jsonl"), "w") as records:
        for index in range(count):
            due_ms += draw.expovariate(PER_SECOND / 1000)
            records.write(line(index, due_ms, draw) + "\n")
    summary = {
        "aiperf_version": "made", "benchmark_id": "made", "is_complete": True, "validity": [],
        "input_config": {
            "models": {"items": [{"name": "made-model"}]},
            "endpoint": {"type": "chat", "urls": ["http://localhost:8000"], "streaming": True},
            "phases": [{"kind": "profiling", "type": "poisson", "rate": PER_SECOND}],
            "slos": {"time_to_first_token": 200, "inter_token_latency": 12},
        },
        "phase_accounting": [{"phase_name": "profiling", "start_ns": START_NS, "end_ns": START_NS + round((due_ms + 2000) * NS_PER_MS)}],
        "steady_state": {"reached": False, "reason": "not assessed"},
    }
    with open(os.path.join(folder, "profile_export_aiperf.json"), "w") as file:
        json.dump(summary, file)


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2])
