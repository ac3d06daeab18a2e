"""Puts the results into docs/endpoints.md and docs/telemetry.md, between their marks; the words around them are written by
hand. Rows of servers that were not run stay as they are."""

import re
from pathlib import Path

import page_table
import servers
import tables
from outcome import Outcome

BEGIN, END = "<!-- realservers/run: results -->", "<!-- realservers/run: end -->"
BLOCK = re.compile(re.escape(BEGIN) + "(?P<block>.*?)" + re.escape(END), flags=re.DOTALL)


def write(docs: Path, outcomes: list[Outcome], machine: str) -> None:
    trials = [(server.title, tables.name(trial.name)) for server in servers.SERVERS for trial in server.trials]
    _put(docs / "endpoints.md", tables.HEADER, [tables.row(outcome) for outcome in outcomes], trials, machine)
    pages = [(server.title, server.name) for server in servers.SERVERS]
    _put(docs / "telemetry.md", page_table.HEADER, page_table.rows(outcomes), pages, machine)


def _put(path: Path, header: list[str], new: list[list[str]], order: list[tuple[str, str]], machine: str) -> None:
    text = path.read_text()
    found = BLOCK.findall(text)
    if len(found) != 1:
        raise RuntimeError(f"{path} has {len(found)} places for results of real servers; there should be one")
    rows = {_key(row): row for row in [*_rows(found[0]), *new]}
    table = tables.for_document(header, [rows[key] for key in order if key in rows])
    path.write_text(BLOCK.sub(lambda _: f"{BEGIN}\n{machine}\n\n{table}\n{END}", text))


def _rows(block: str) -> list[list[str]]:
    lines = [line for line in block.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _key(row: list[str]) -> tuple[str, str]:
    """Server without its version, and what was tried there."""
    return row[0].rpartition(" ")[0], row[1]
