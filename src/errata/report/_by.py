"""Noise rates by annotator, source, month or site as the page draws them: a dot on its interval."""

from typing import Any

from .._format import count

SHOWN = 50  # values, the noisiest


def rates_by_value(by: dict[str, Any] | None, many: str) -> dict[str, Any] | None:
    """The values to draw, with places in percent of the longest interval; ``many`` are labels."""
    if by is None:
        return None
    shown = by["values"][:SHOWN]
    longest = max((value["high"] for value in shown), default=0) or 1.0
    return {
        **by,
        "lead": _lead(len(shown), len(by["values"]), many),
        "values": [value | _places(value, 100 / longest) for value in shown],
    }


def _places(value: dict[str, Any], scale: float) -> dict[str, float]:
    low, rate, high = (round(scale * value[name], 2) for name in ("low", "rate", "high"))
    return {"left": low, "width": round(high - low, 2), "at": rate}


def _lead(shown: int, values: int, many: str) -> str:
    """How to read the table.

    >>> _lead(50, 212, "labels")
    'The fraction of wrong labels of each value, with its interval; the 50 noisiest of 212.'
    """
    rest = "" if shown == values else f"; the {count(shown)} noisiest of {count(values)}"
    return f"The fraction of wrong {many} of each value, with its interval{rest}."
