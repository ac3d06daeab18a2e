"""Reads an artifact folder with `aiperf_rs` and prints what it found, for the tests. FRAME is rows, pandas or polars.

    PYTHONPATH=packaging/python python packaging/python/read_artifacts.py FRAME FOLDER
"""

import sys

import aiperf_rs

frame, folder = sys.argv[1:]
artifacts = aiperf_rs.load(folder)
for run in artifacts:
    print("run", run.name, run.metric("request_count").avg, run.metric("time_to_first_token").unit)
metrics, records = artifacts.metrics(frame=frame), artifacts.records(frame=frame)


def column(table, name):
    return [row.get(name) for row in table] if frame == "rows" else list(table[name])


print("columns", *[name for name in ("run", "unit", "avg", "p99") if column(metrics, name)])
print("latency", column(metrics, "metric").count("request_latency"))
print("records", len(records), "of", len(set(column(records, "x_request_id"))), "requests")
print("errors", sum(code == code and code is not None for code in column(records, "error_code")))
