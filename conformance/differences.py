"""Compares what two runs left behind."""

from collections import Counter
from dataclasses import dataclass

import facts
import shape
from artifacts import Artifacts, CsvSection, Table, role_of
from case import Case
from phases import phase_counts

ABSENT = "absent"


@dataclass(frozen=True)
class Difference:
    case: str
    # exit, file, field, type, unit, value, csv or console.
    area: str
    where: str
    reference: str
    ours: str

    def __str__(self) -> str:
        return f"{self.area} {self.where}: reference {self.reference}, ours {self.ours}"


def compare(case: Case, reference: Artifacts, ours: Artifacts) -> list[Difference]:
    found = [
        *_scalar("exit", "exit code", reference.process.rc, ours.process.rc),
        *_sets("file", "", reference.files, ours.files),
        *_documents(reference, ours),
        *_csv(reference, ours),
        *_console(reference, ours),
        *_values(case, reference, ours),
    ]
    return [Difference(case.name, *parts) for parts in found]


def _documents(reference: Artifacts, ours: Artifacts):
    for name in sorted(reference.json.keys() & ours.json.keys()):
        yield from _shapes(role_of(name), shape.shape_of([reference.json[name]]), shape.shape_of([ours.json[name]]))
    for name in sorted(reference.lines.keys() & ours.lines.keys()):
        yield from _shapes(role_of(name), shape.shape_of(reference.lines[name]), shape.shape_of(ours.lines[name]))


def _shapes(role: str, reference: shape.Shape, ours: shape.Shape):
    for path in shape.missing(reference, ours):
        yield "field", f"{role}: {path}", _labels(reference[path]), ABSENT
    for path in shape.missing(ours, reference):
        yield "field", f"{role}: {path}", ABSENT, _labels(ours[path])
    for path in sorted(reference.keys() & ours.keys()):
        if reference[path] != ours[path]:
            area = "unit" if path.endswith(".unit") else "type"
            yield area, f"{role}: {path}", _labels(reference[path]), _labels(ours[path])


def _labels(labels: set[str]) -> str:
    return "|".join(sorted(labels))


def _csv(reference: Artifacts, ours: Artifacts):
    for name in sorted(reference.csv.keys() & ours.csv.keys()):
        theirs, mine = reference.csv[name], ours.csv[name]
        role = role_of(name)
        yield from _scalar("csv", f"{role}: number of sections", len(theirs), len(mine))
        for number, (left, right) in enumerate(zip(theirs, mine), 1):
            yield from _csv_section(f"{role} section {number}", left, right)


def _csv_section(where: str, reference: CsvSection, ours: CsvSection):
    """Columns of our own stand after the reference's, and are named one by one."""
    width = len(reference.header)
    yield from _scalar("csv", f"{where}: header", ",".join(reference.header), ",".join(ours.header[:width]))
    further = set(ours.header[width:])
    yield from _sets("csv", f"{where}: further column ", set(), further)
    shared = {row: tuple(name for name in filled if name not in further) for row, filled in ours.rows.items()}
    yield from _rows("csv", where, reference.rows, shared)


def _console(reference: Artifacts, ours: Artifacts):
    for name in sorted(reference.tables.keys() & ours.tables.keys()):
        theirs, mine = reference.tables[name], ours.tables[name]
        yield from _sets("console", "table ", set(theirs), set(mine))
        for title in (title for title in theirs if title in mine):
            yield from _table(title, theirs[title], mine[title])
    yield from _sets("console", "line ", set(reference.trailer), set(ours.trailer))


def _table(title: str, reference: Table, ours: Table):
    yield from _scalar("console", f"{title}: program named in the title", reference.program, ours.program)
    yield from _scalar("console", f"{title}: columns", ",".join(reference.columns), ",".join(ours.columns))
    yield from _rows("console", title, reference.rows, ours.rows)


def _rows(area: str, where: str, reference: dict[str, tuple[str, ...]], ours: dict[str, tuple[str, ...]]):
    yield from _sets(area, f"{where}: row ", set(reference), set(ours))
    shared = [name for name in reference if name in ours]
    order = [name for name in ours if name in reference]
    if shared != order:
        yield area, f"{where}: order of rows", ", ".join(shared), ", ".join(order)
    for name in shared:
        yield from _scalar(area, f"{where}: filled cells of {name}", ",".join(reference[name]), ",".join(ours[name]))


def _values(case: Case, reference: Artifacts, ours: Artifacts):
    theirs, mine = facts.always(reference), facts.always(ours)
    if case.same_requests:
        theirs |= facts.counted(reference)
        mine |= facts.counted(ours)
    counts = phase_counts(reference.log), phase_counts(ours.log)
    for counter in _counters(case, *counts):
        theirs[f"phase {counter}"], mine[f"phase {counter}"] = (side.get(counter, "none") for side in counts)
    for fact in case.at_server:
        theirs |= fact(reference)
        mine |= fact(ours)
    for name in sorted(theirs.keys() & mine.keys()):
        yield from _scalar("value", name, theirs[name], mine[name])


def _counters(case: Case, reference: dict[str, str], ours: dict[str, str]) -> set[str]:
    if case.accounting is not None:
        return set(case.accounting)
    return reference.keys() | ours.keys() if case.same_requests else set()


def _sets(area: str, prefix: str, reference: set[str], ours: set[str]):
    for name in sorted(reference - ours):
        yield area, f"{prefix}{name}", "present", ABSENT
    for name in sorted(ours - reference):
        yield area, f"{prefix}{name}", ABSENT, "present"


def _scalar(area: str, where: str, reference, ours):
    if reference != ours:
        yield area, where, _text(reference), _text(ours)


def _text(value) -> str:
    if isinstance(value, Counter):
        return "; ".join(f"{count} x {key}" for key, count in sorted(value.items(), key=lambda item: str(item[0]))) or "none"
    return str(value)
