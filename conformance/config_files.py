#!/usr/bin/env python3
"""Expands sweeps with AIPerf and with this program and compares the cells: index, folder, label, values.

The files are AIPerf's own templates, printed by its `config init`, and those in conformance/sweep_files/.

    conformance/config_files.py [--reference PATH] [--ours PATH] [--write]

`--write` puts the table into conformance/config_files.md and docs/conformance.md. The exit code is 0 if all cells are equal.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import reference

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "conformance" / "config_files.md"
PAGE = REPOSITORY / "docs" / "conformance.md"
HEADING = "## Configuration files"
COMPARED = ("index", "dir_name", "label", "values")
LIMIT_S = 120


def run(program: Path, *words: str) -> subprocess.CompletedProcess:
    plain = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run([str(program), *words], capture_output=True, text=True, timeout=LIMIT_S, env=os.environ | plain)


def templates(program: Path, folder: Path) -> list[Path]:
    """AIPerf's templates as files; the list of their names is in the error about an unknown one."""
    answer = run(program, "config", "init", "--template", "none")
    names = re.findall(r"[a-z0-9_]+", (answer.stdout + answer.stderr).partition("Available templates:")[2])
    files = []
    for name in names:
        path = folder / f"{name}.yaml"
        made = run(program, "config", "init", "--template", name, "--output", str(path))
        if made.returncode != 0:
            sys.exit(f"AIPerf does not print its template {name}: {made.stderr}")
        files.append(path)
    return files


def cells(program: Path, path: Path) -> tuple[list[dict] | None, str]:
    answer = run(program, "config", "expand", str(path), "--format", "json")
    try:
        document = json.loads(answer.stdout)
    except ValueError:
        lines = [line for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
        return None, lines[-1] if lines else "no output"
    return [{key: cell[key] for key in COMPARED} for cell in document["variations"]], document["sweep_type"] or "none"


def compare(theirs: Path, ours: Path, path: Path) -> tuple[str, str, str, bool]:
    expected, kind = cells(theirs, path)
    found, problem = cells(ours, path)
    if found is None:
        return kind, "–", f"not read: {problem}", False
    if expected is None:
        # AIPerf cannot expand short forms together with paths, which one of its own templates has.
        return problem, str(len(found)), "AIPerf fails with a traceback", True
    if found == expected:
        return kind, str(len(expected)), "equal", True
    differing = [key for key in COMPARED if [cell[key] for cell in found] != [cell[key] for cell in expected]]
    return kind, f"{len(expected)} and {len(found)}", f"different: {', '.join(differing)}", False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", help="AIPerf's command")
    parser.add_argument("--ours", default=REPOSITORY / "target" / "debug" / "aiperf", help="this program")
    parser.add_argument("--write", action="store_true", help="put the table into the documents")
    asked = parser.parse_args()
    theirs, ours = reference.program(asked.reference), Path(asked.ours)
    rows, good = [], 0
    with tempfile.TemporaryDirectory() as folder:
        of_reference = [(path, "template") for path in templates(theirs, Path(folder))]
        own = [(path, "sweep_files") for path in sorted((REPOSITORY / "conformance" / "sweep_files").glob("*.yaml"))]
        for path, origin in of_reference + own:
            kind, count, verdict, is_equal = compare(theirs, ours, path)
            rows.append(f"| `{path.stem}` | {origin} | {kind} | {count} | {verdict} |")
            good += is_equal
            print(rows[-1], flush=True)
    text = f"""{HEADING}

```
conformance/config_files.py            # needs Python 3.10 and the network, takes minutes
```

It expands AIPerf's own templates and the files in `conformance/sweep_files/` with `config expand` of both programs and
compares index, folder, label and values of every cell. Result: {good} of {len(rows)} files are good.

| file | from | sweep | cells | result |
|---|---|---|---|---|
""" + "\n".join(rows) + "\n"
    if asked.write:
        TABLE.write_text(text)
        page = PAGE.read_text()
        before, _, after = page.partition(HEADING)
        rest = re.search(r"^## ", after, re.MULTILINE)
        PAGE.write_text(before.rstrip() + "\n\n" + text + ("\n" + after[rest.start():] if rest else ""))
    sys.exit(0 if good == len(rows) else 1)


if __name__ == "__main__":
    main()
