"""Results as tables: for the terminal, and as Markdown for the document."""

from results import COLUMNS, Figures, Result, cell_text, number

CHECK_HEADER = ["check", "bound", "measured", "measured / bound", ""]


def for_terminal(result: Result) -> str:
    parts = [f"\n{result.case}: {result.title}"]
    parts += [_aligned(table) for table in (_figures(result), _checks(result)) if len(table) > 1]
    return "\n".join(parts + result.notes)


def for_document(result: Result) -> str:
    parts = [_markdown(table) for table in (_figures(result), _checks(result)) if len(table) > 1]
    return "\n\n".join(parts + result.notes)


def for_comparison(case: str, rounds: int, old: list[Figures], new: list[Figures]) -> str:
    """One row for each number that both programs have."""
    table = [["run", "figure", "against", "program", "program / against"]]
    of_old = {figures.what: figures.cells for figures in old}
    for figures in new:
        before = of_old.get(figures.what, {})
        for name in (name for name in COLUMNS if name in figures.cells and name in before):
            row = [figures.what, COLUMNS[name], cell_text(before[name]), cell_text(figures.cells[name])]
            table.append([*row, _ratios(before[name], figures.cells[name])])
    return f"\n{case}: medians of {rounds} alternating rounds\n{_aligned(table)}"


def _ratios(before, after) -> str:
    both = zip(before, after) if isinstance(before, tuple) else [(before, after)]
    return " / ".join(f"{new / old:.2f}" if old else "-" for old, new in both)


def _figures(result: Result) -> list[list[str]]:
    present = [name for name in COLUMNS if any(name in row.cells for row in result.figures)]
    rows = []
    for row in result.figures:
        rows.append([row.tool, row.what, *(cell_text(row.cells[name]) if name in row.cells else "" for name in present)])
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
