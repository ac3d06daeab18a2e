"""Puts the results into docs/endpoints.md, between their marks; the words around them are written by hand."""

import re
from pathlib import Path

import tables
from outcome import Outcome

BEGIN, END = "<!-- realservers/run: results -->", "<!-- realservers/run: end -->"


def write(path: Path, outcomes: list[Outcome], machine: str) -> None:
    text = path.read_text()
    block = f"{BEGIN}\n{machine}\n\n{tables.for_document(outcomes)}\n{END}"
    text, found = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: block, text, flags=re.DOTALL)
    if found != 1:
        raise RuntimeError(f"{path} has {found} places for results of real servers; there should be one")
    path.write_text(text)
