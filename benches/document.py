"""Puts results into docs/performance.md, each between the marks of its case; the words around them are written by hand. Or
writes them as JSON."""

import dataclasses
import json
import re
from pathlib import Path

import tables
from results import Result


def write(path: Path, results: list[Result], machine: str) -> None:
    text = path.read_text()
    for result in results:
        block = f"{_mark(result.case)}\n{machine}\n\n{tables.for_document(result)}\n{_mark('end ' + result.case)}"
        pattern = re.escape(_mark(result.case)) + ".*?" + re.escape(_mark("end " + result.case))
        text, found = re.subn(pattern, lambda _: block, text, flags=re.DOTALL)
        if found != 1:
            raise RuntimeError(f"{path} has {found} places for case {result.case}; there should be one")
    path.write_text(text)


def write_json(path: Path, state: str, results: dict[str, list[Result]]) -> None:
    """All results under the names of the programs, next to what they were measured on or against."""
    listed = {name: [dataclasses.asdict(result) for result in measured] for name, measured in results.items()}
    path.write_text(json.dumps({"state": state, **listed}, indent=1))


def _mark(name: str) -> str:
    return f"<!-- benches/run: {name} -->"
