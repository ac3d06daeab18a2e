"""The lines of a chart, from the paths of its SVG and the ticks of its axes back to values."""

import math
import re

from recorded_run import Table

PIXELS = 0.2


def number(text: str) -> float:
    factor = {"k": 1e3, "M": 1e6, "%": 1.0}.get(text.split()[-1], 1.0)
    return float(text.split()[0].replace(",", "")) * factor


def scale(ticks: list):
    """From values to places, through the ticks of an axis, linear or logarithmic."""
    known = sorted((number(text), place) for place, text in ticks if text)
    (low, from_), (high, to) = known[0], known[-1]
    linear = lambda value: from_ + (value - low) / (high - low) * (to - from_)
    if all(abs(linear(value) - place) < PIXELS for value, place in known):
        return linear
    return lambda value: from_ + math.log(value / low) / math.log(high / low) * (to - from_)


def check_lines(chart: dict, table: Table, x_values: list[float], columns: dict[str, str], what: str):
    """`columns`: the class of a line, and the column of the table that it draws. Places without a value have no point."""
    drawing = chart["svg"][0]
    x_at, y_at = scale(drawing["x_ticks"]), scale(drawing["y_ticks"])
    for mark, name in columns.items():
        lines = [line for line in drawing["lines"] if mark in line["mark"].split()]
        assert len(lines) == 1, f"{what}: {len(lines)} lines are {mark}"
        found = [tuple(map(float, pair)) for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", lines[0]["path"])]
        wanted = [(x_at(x), y_at(y)) for x, y in zip(x_values, table.column(name)) if y is not None]
        assert len(found) == len(wanted), f"{what} {name}: {len(found)} points are drawn, expected {len(wanted)}"
        for (fx, fy), (wx, wy) in zip(found, wanted):
            assert abs(fx - wx) <= PIXELS and abs(fy - wy) <= PIXELS, f"{what} {name}: drawn at {fx} {fy}, expected {wx} {wy}"
