"""A report as people make them with pandas: from the summary JSON and CSV of one artifact folder."""

import io
import json
import sys
from pathlib import Path

import pandas as pd

# Read by name and in this order; what stands behind them is somebody else's.
STATISTICS = ["avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std"]

folder = Path(sys.argv[1])
summary = json.loads((folder / "profile_export_aiperf.json").read_text())
metrics = pd.DataFrame({tag: value for tag, value in summary.items() if isinstance(value, dict) and "unit" in value}).T
latencies = metrics.loc[
    ["time_to_first_token", "inter_token_latency", "request_latency"],
    ["unit", "avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std", "count", "sum"],
]
assert latencies["avg"].astype(float).gt(0).all()
for tag in latencies.index:
    print(f"latency {tag} {latencies.loc[tag, 'unit']}")
for tag in ("request_throughput", "output_token_throughput", "request_count", "benchmark_duration"):
    value = float(metrics.loc[tag, "avg"])
    print(f"single {tag} {metrics.loc[tag, 'unit']} {value > 0}")
start, end = (pd.to_datetime(summary[key]) for key in ("start_time", "end_time"))
print(f"window {(end - start).total_seconds() > 0}")
print(f"errors {sum(group['count'] for group in summary['error_summary'])} {summary['was_cancelled']}")
config = summary["input_config"]
print(f"config {config['endpoint']['type']} {config['endpoint']['streaming']} {config['phases'][-1]['concurrency']}")
print(f"model {config['models']['items'][0]['name']} {config['datasets'][0]['prompts']['isl']['mean']}")

# The CSV has tables of different widths, with an empty line between them.
with (folder / "profile_export_aiperf.csv").open(newline="") as file:
    tables = [table for table in file.read().split("\r\n\r\n") if table.strip()]
wide, narrow = (pd.read_csv(io.StringIO(table)).set_index("Metric") for table in tables[:2])
print("columns " + " ".join(wide.columns[: len(STATISTICS)]))
for row in ("Time to First Token (ms)", "Request Latency (ms)", "Output Sequence Length (tokens)"):
    print(f"row {row} {wide.loc[row, STATISTICS].notna().all()} {wide.loc[row, 'p50'] <= wide.loc[row, 'p99']}")
for row in ("Request Count", "Request Throughput (requests/sec)", "Benchmark Duration (sec)"):
    print(f"value {row} {float(narrow.loc[row, 'Value']) > 0}")
