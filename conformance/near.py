"""Numbers that both tools take from the clock: equal when they are close."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Near:
    values: tuple[float, ...]
    tolerance: float
    unit: str = "s"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Near)
            and len(self.values) == len(other.values)
            and all(abs(mine - theirs) <= self.tolerance for mine, theirs in zip(self.values, other.values))
        )

    def __str__(self) -> str:
        return f"[{', '.join(f'{value:.2f}' for value in self.values)}] {self.unit} ± {self.tolerance}"
