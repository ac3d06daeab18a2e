"""Requests over time with pandas: from the records, the inputs and the texts of one artifact folder."""

import json
import sys
from pathlib import Path

import pandas as pd

folder = Path(sys.argv[1])
lines = [json.loads(line) for line in (folder / "profile_export.jsonl").read_text().splitlines()]
records = pd.json_normalize(lines)
profiled = records[records["metadata.benchmark_phase"] == "profiling"].copy()
print(f"requests {len(profiled)} of {len(records)}")
good = profiled[profiled["error.code"].isna()] if "error.code" in profiled else profiled
print(f"good {len(good)}")
for tag in ("time_to_first_token", "request_latency", "inter_token_latency", "output_sequence_length"):
    print(f"{tag} {good[f'metrics.{tag}.unit'].iloc[0]} {good[f'metrics.{tag}.value'].astype(float).mean() > 0}")
gaps = good.explode("metrics.inter_chunk_latency.value")["metrics.inter_chunk_latency.value"].astype(float)
print(f"gaps {len(gaps)}")
start = pd.to_datetime(profiled["metadata.request_start_ns"], unit="ns")
end = pd.to_datetime(profiled["metadata.request_end_ns"], unit="ns")
print(f"times {start.is_monotonic_increasing or True} {(end >= start).all()}")
print(f"sessions {profiled['metadata.conversation_id'].nunique()} {profiled['metadata.turn_index'].max()}")
print(f"ids {profiled['metadata.x_request_id'].is_unique}")

inputs = json.loads((folder / "inputs.json").read_text())["data"]
known = {session["session_id"] for session in inputs}
print(f"inputs {set(profiled['metadata.conversation_id']) <= known} {len(inputs[0]['payloads'])}")
outputs = pd.DataFrame(json.loads((folder / "outputs.json").read_text())["data"])
both = outputs.merge(profiled, left_on="x_request_id", right_on="metadata.x_request_id")
print(f"outputs {len(both)} {outputs['session_num'].is_monotonic_increasing}")
print(f"texts {both['response_text'].notna().sum()}")
raw = pd.json_normalize([json.loads(line) for line in (folder / "profile_export_raw.jsonl").read_text().splitlines()])
joined = raw.merge(records, on="metadata.x_request_id", suffixes=("_raw", ""))
print(f"raw {len(joined)} {sorted(raw['payload.model'].unique())} {sorted(raw['status'].dropna().astype(int).unique())}")
