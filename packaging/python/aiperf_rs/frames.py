"""Rows (dictionaries) as a frame of pandas or polars. Neither is imported before it is needed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal, Mapping, Sequence

Row = Mapping[str, Any]
Frame = Literal["pandas", "polars", "rows"]


def frame_of(rows: Sequence[Row], frame: Frame | None) -> Any:
    """The rows as `frame`; without one, as a pandas frame if pandas is installed, else as a polars frame."""
    if frame == "rows":
        return [dict(row) for row in rows]
    kind = frame or next((name for name in ("pandas", "polars") if find_spec(name)), None)
    if kind == "pandas":
        import pandas

        return pandas.DataFrame.from_records([dict(row) for row in rows], columns=columns_of(rows))
    if kind == "polars":
        import polars

        # Every row counts for the types: a column may be empty in the first ones.
        return polars.from_dicts(_alike(rows), infer_schema_length=None)
    if kind is None:
        raise ModuleNotFoundError('a frame needs pandas or polars: pip install pandas, or use frame="rows"')
    raise ValueError(f'frame={frame!r}: must be "pandas", "polars" or "rows"')


def columns_of(rows: Sequence[Row]) -> list[str]:
    """All keys of all rows, in the order in which they first appear."""
    return list(dict.fromkeys(key for row in rows for key in row))


def _alike(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows with the same keys, and with one type of numbers in each: JSON writes 3.0 as 3 in some files."""
    columns = columns_of(rows)
    fractional = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    return [{name: _as_float(row.get(name)) if name in fractional else row.get(name) for name in columns} for row in rows]


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
