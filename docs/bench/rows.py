"""One figure of the speed table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, against what, the ratio and how much of it is allowed."""

    what: str
    measured: float
    yardstick: float
    allowed: float
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        """How many times the yardstick."""
        return self.measured / self.yardstick

    def __str__(self) -> str:
        verdict = "ok" if self.ratio <= self.allowed else "**missed**"
        return (
            f"| {self.what} | {self.measured:.1f} {self.unit} | {self.yardstick:.1f} {self.unit} | "
            f"{self.ratio:.2f} × | {self.allowed:g} × | {verdict} |"
        )
