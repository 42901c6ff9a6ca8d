"""Noise rates by annotator, source, month or site, in numbers and in a sentence."""

from typing import Any, NamedTuple

import numpy as np

from .._format import count, four_digits, listed, percent, plural
from .._validation import as_column, is_missing
from ..tables._dates import dates_in_words
from ._noise_rate import NoiseRate
from ._settings import BY_STANDS_OUT, MOST_DAYS, MOST_VALUES
from ._value_rates import chance_to_stand_out, value_rates

MISSING = "(missing)"


class Doubted(NamedTuple):
    """The labels that may be wrong: whatever is known already does not count."""

    rows: np.ndarray  # of each such label
    p_wrong: np.ndarray
    flagged: np.ndarray
    strata: np.ndarray  # labels of one stratum are compared with each other only

    @classmethod
    def among(
        cls, may_be: np.ndarray, p_wrong: np.ndarray, flagged: np.ndarray, strata: np.ndarray
    ) -> "Doubted":
        """One label a row, some of which may be wrong."""
        rows = np.flatnonzero(may_be)
        return cls(rows, p_wrong[rows], flagged[rows], strata[rows])


def rates_by(values: Any, n: int, doubted: Doubted, rate: NoiseRate) -> dict[str, np.ndarray]:
    """One array per column of the table by value, the noisiest value first.

    ``values`` has one entry for each of the ``n`` rows; ``rate`` is that of all rows.
    """
    words, codes = _values(values, n, doubted.rows)
    rates = value_rates(codes, doubted.p_wrong, rate)
    columns = {
        "value": words,
        "rows": np.bincount(codes),
        **dict(zip(("rate", "low", "high"), rates.T, strict=True)),
        "flagged": np.bincount(codes, weights=doubted.flagged).astype(int),
        "chance": chance_to_stand_out(codes, doubted.p_wrong, doubted.strata),
    }
    order = np.argsort(-columns["rate"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def told_by(name: str, columns: dict[str, np.ndarray]) -> dict[str, Any]:
    """The same for summary and report, as valid JSON: the column, its values, and a sentence."""
    lists = {key: column.tolist() for key, column in columns.items()}
    for key in ("rate", "low", "high"):
        lists[key] = [four_digits(value) for value in lists[key]]
    values = [dict(zip(lists, line, strict=True)) for line in zip(*lists.values(), strict=True)]
    return {"column": name, "values": values, "sentence": who_stands_out(columns)}


def who_stands_out(columns: dict[str, np.ndarray]) -> str | None:
    """A sentence where values have more wrong labels than chance explains."""
    out = columns["chance"] < BY_STANDS_OUT
    if not out.any():
        return None
    others = columns["rows"][~out]
    elsewhere = np.average(columns["rate"][~out], weights=others) if len(others) else None
    told = [
        f"{value} ({percent(rate)}, {percent(low)} to {percent(high)})"
        for value, rate, low, high in zip(
            *(columns[name][out] for name in ("value", "rate", "low", "high")), strict=True
        )
    ]
    stand = "stands" if out.sum() == 1 else "stand"
    beside = "" if elsewhere is None else f"; elsewhere {percent(elsewhere)} are wrong"
    return (
        f"{listed(told)} {stand} out{beside}. By chance, one of {plural(len(out), 'value')} would "
        f"look so in fewer than {count(_in_a_hundred(columns['chance'][out]))} of 100 such tables."
    )


def _in_a_hundred(chances: np.ndarray) -> int:
    return max(1, int(np.ceil(100 * chances.max())))


def _values(values: Any, n: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values as words, and which each row has."""
    given = as_column(values, name="values")
    if given.dtype.kind == "M":
        given = given.astype("M8[s]").astype(object)
    if len(given) != n:
        raise ValueError(f"{plural(len(given), 'value')} for {plural(n, 'row')}; give one a row.")
    words, codes = _distinct(given[rows])
    if len(words) > MOST_DAYS:
        words, codes = _months(words, codes)
    if len(words) > min(MOST_VALUES, len(codes) / 2):
        raise ValueError(
            f"{plural(len(words), 'value')} in {plural(len(codes), 'row')} are too many to compare "
            "the noise of each; rates are for annotators, sources, months or sites."
        )
    return words, codes


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values as words, and which each entry has; one step of Python each, no more."""
    if values.dtype.kind == "O":
        places: dict[Any, int] = {}
        codes = np.array([places.setdefault(v, len(places)) for v in values.tolist()], dtype=int)
        found = list(places)
    else:
        unique, codes = np.unique(values, return_inverse=True)
        found = unique.tolist()
    words = [MISSING if is_missing(value) else str(value) for value in found]
    named, of = np.unique(words, return_inverse=True)  # 1 and "1" are one value
    return named, of[codes]


def _months(words: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Months instead of days; whatever is no date stays as it is."""
    days = np.array([word for word in words.tolist() if word != MISSING])
    dates, _ = dates_in_words(days.tolist())
    if dates is None:
        return words, codes
    month = dict(zip(days.tolist(), dates.astype("M8[M]").astype(str).tolist(), strict=True))
    short, of = np.unique([month.get(word, MISSING) for word in words], return_inverse=True)
    return short, of[codes]
