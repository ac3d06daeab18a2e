"""The structure of JSON documents: every key path, the types found there, and the units."""

from typing import Any, Iterable, Iterator

Shape = dict[str, set[str]]


def shape_of(documents: Iterable[Any]) -> Shape:
    """Paths over all documents together: `a.b`, and `a[]` for the items of a list."""
    shape: Shape = {}
    for document in documents:
        for path, label in _nodes(document, ""):
            shape.setdefault(path, set()).add(label)
    return shape


def _nodes(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            yield path, "object"
            for key, item in value.items():
                yield from _nodes(item, f"{path}.{key}" if path else key)
        case list():
            yield path, "list"
            for item in value:
                yield from _nodes(item, f"{path}[]")
        case str() if path.endswith(".unit"):
            yield path, f"unit {value}"
        case bool():
            yield path, "bool"
        case None:
            yield path, "null"
        case _:
            yield path, type(value).__name__


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar with its full path, list positions included."""
    match value:
        case dict():
            for key, item in value.items():
                yield from leaves(item, f"{path}.{key}" if path else key)
        case list():
            for position, item in enumerate(value):
                yield from leaves(item, f"{path}[{position}]")
        case _:
            yield path, value


def missing(present: Shape, absent: Shape) -> list[str]:
    """Paths of `present` that `absent` lacks, without those whose parent is lacking already."""
    lost = {path for path in present if path not in absent}
    return sorted(path for path in lost if _parent(path) not in lost)


def _parent(path: str) -> str:
    if path.endswith("[]"):
        return path[:-2]
    return path.rpartition(".")[0]
