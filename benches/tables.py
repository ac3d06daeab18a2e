"""Results as tables: for the terminal, and as Markdown for the document."""

from results import COLUMNS, Result, number

CHECK_HEADER = ["check", "bound", "measured", "measured / bound", ""]


def for_terminal(result: Result) -> str:
    parts = [f"\n{result.case}: {result.title}"]
    parts += [_aligned(table) for table in (_figures(result), _checks(result)) if len(table) > 1]
    return "\n".join(parts + result.notes)


def for_document(result: Result) -> str:
    parts = [_markdown(table) for table in (_figures(result), _checks(result)) if len(table) > 1]
    return "\n\n".join(parts + result.notes)


def _figures(result: Result) -> list[list[str]]:
    present = [name for name in COLUMNS if any(name in row.cells for row in result.figures)]
    rows = [[row.tool, row.what, *(row.cells.get(name, "") for name in present)] for row in result.figures]
    return [["tool", "run", *(COLUMNS[name] for name in present)], *rows]


def _checks(result: Result) -> list[list[str]]:
    rows = []
    for check in result.checks:
        sign = "at least" if check.at_least else "at most"
        bound = f"{sign} {number(check.bound)} {check.unit}".rstrip() + (f" ({check.basis})" if check.basis else "")
        measured = f"{number(check.measured)} {check.unit}".rstrip()
        rows.append([check.what, bound, measured, f"{check.ratio:.2f}", "pass" if check.good else "FAIL"])
    return [CHECK_HEADER, *rows]


def _aligned(table: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(f"  {line}" for line in lines) + "\n"


def _markdown(table: list[list[str]]) -> str:
    table = [table[0], ["---"] * len(table[0]), *table[1:]]
    return "\n".join("| " + " | ".join(row) + " |" for row in table)
