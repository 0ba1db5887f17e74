"""One figure of the speed table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, against what, and what is allowed: a ratio, or with ``absolute`` as many of its unit."""

    what: str
    measured: float
    yardstick: float
    allowed: float
    unit: str = "ms"
    absolute: bool = False

    @property
    def ratio(self) -> float:
        """How many times the yardstick."""
        return self.measured / self.yardstick

    def __str__(self) -> str:
        verdict = "ok" if (self.measured if self.absolute else self.ratio) <= self.allowed else "**missed**"
        return (
            f"| {self.what} | {self.measured:.1f} {self.unit} | {self.yardstick:.1f} {self.unit} | "
            f"{self.ratio:.2f} × | {self.allowed:.4g} {self.unit if self.absolute else '×'} | {verdict} |"
        )
