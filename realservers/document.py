"""Puts the results into docs/endpoints.md, between their marks; the words around them are written by hand. Rows of servers
that were not run stay as they are."""

import re
from pathlib import Path

import servers
import tables
from outcome import Outcome

BEGIN, END = "<!-- realservers/run: results -->", "<!-- realservers/run: end -->"
BLOCK = re.compile(re.escape(BEGIN) + "(?P<block>.*?)" + re.escape(END), flags=re.DOTALL)


def write(path: Path, outcomes: list[Outcome], machine: str) -> None:
    text = path.read_text()
    found = BLOCK.findall(text)
    if len(found) != 1:
        raise RuntimeError(f"{path} has {len(found)} places for results of real servers; there should be one")
    rows = {_key(row): row for row in _rows(found[0])}
    rows |= {_key(row): row for row in map(tables.row, outcomes)}
    order = [(server.title, tables.name(trial.name)) for server in servers.SERVERS for trial in server.trials]
    table = tables.for_document([rows[key] for key in order if key in rows])
    path.write_text(BLOCK.sub(lambda _: f"{BEGIN}\n{machine}\n\n{table}\n{END}", text))


def _rows(block: str) -> list[list[str]]:
    lines = [line for line in block.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _key(row: list[str]) -> tuple[str, str]:
    """Server without its version, and trial."""
    return row[0].rpartition(" ")[0], row[1]
