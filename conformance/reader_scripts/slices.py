"""A curve over time with pandas: from the time slices of one artifact folder."""

import json
import sys
from pathlib import Path

import pandas as pd

folder = Path(sys.argv[1])
rows = pd.read_csv(folder / "profile_export_aiperf_timeslices.csv")
print("columns " + " ".join(rows.columns))
table = rows.pivot_table(index=["Timeslice", "Start_NS"], columns=["Metric", "Stat"], values="Value")
latency = table[("Request Latency", "avg")].dropna()
print(f"latency {len(latency) > 1} {latency.gt(0).all()}")
print(f"concurrency {table[('Effective Concurrency', 'avg')].dropna().max() > 0}")
slices = json.loads((folder / "profile_export_aiperf_timeslices.json").read_text())["timeslices"]
frame = pd.DataFrame({index: {tag: value["avg"] for tag, value in part.items() if isinstance(value, dict) and "avg" in value} for index, part in enumerate(slices)}).T
print(f"requests {int(frame['request_count'].sum())}")
print(f"tokens {int(frame['total_osl'].sum())}")
print(f"grid {pd.Series([part['start_ns'] for part in slices]).is_monotonic_increasing}")
