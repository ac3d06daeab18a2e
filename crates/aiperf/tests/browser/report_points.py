#!/usr/bin/env python3
"""Compares the points of all charts of a page with numbers computed here from the files of the runs, most of them from the JSONL.

    report_points.py run FOUND FOLDER
    report_points.py sweep FOUND FOLDER
    report_points.py comparison FOUND BASELINE CANDIDATE

FOUND is the JSON that report_page.py prints.
"""

import json
import sys

import points_of_comparison
import points_of_run
import points_of_sweep
from recorded_run import Table

PAGES = {"run": points_of_run.CHECKS, "sweep": points_of_sweep.CHECKS, "comparison": points_of_comparison.CHECKS}


def main(kind: str, found_path: str, *folders: str):
    with open(found_path) as file:
        found = json.load(file)
    tables = {name: Table(entry["csv"]) for name, entry in found["tables"].items()}
    charts = {chart["id"]: chart for chart in found["charts"]}
    unchecked = set(tables) - set(PAGES[kind])
    assert not unchecked, f"nothing checks {sorted(unchecked)}"
    if kind == "run" and "limits" in found:
        points_of_run.run_of(folders[0]).limits = found["limits"]
    if kind == "sweep" and "limits" in found:
        points_of_sweep.check_answer(found["answer"]["best"], found["limits"], folders[0])
    for name, check in PAGES[kind].items():
        if name in tables:
            check(tables[name], charts.get(name), *folders)
    print(f"checked {' '.join(tables)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
