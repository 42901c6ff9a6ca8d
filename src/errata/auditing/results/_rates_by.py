"""Noise rates: of a table, and by annotator, source, month or site."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp
from scipy.stats import beta, norm

from ..._format import count, four_digits, join_names, percent, plural
from ..._validation import as_column, is_missing
from ...tables.features._encoders import parse_dates
from .._self_check import correct_by_holm, count_found_by

BY_STANDS_OUT = 0.05  # chance of saying that one value of a column stands out if none does
MOST_DAYS = 31  # dates that are not put into months
MOST_VALUES = 1_000  # that are compared

MISSING = "(missing)"

RATES = expit(np.linspace(-9, 9, 361))  # that a value may have
CONCENTRATIONS = 2.0 ** np.arange(11)  # how alike the rates of all values may be
SURE = 1e-6  # no row says more about its value than odds of a million


class NoiseRate(NamedTuple):
    """Fraction of wrong labels: the estimate, and the interval that should hold the truth.

    The interval holds nine tenths of the posterior over noise hypotheses.

    Examples
    --------
    >>> from errata.auditing import NoiseRate
    >>> print(NoiseRate(0.087, 0.061, 0.112))
    8.7% (6.1% to 11.2%)
    """

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.1%} ({self.low:.1%} to {self.high:.1%})"

    def range_of(self, fraction: float) -> tuple[float, float]:
        """A fraction of wrong labels among some rows, at either end of the interval.

        As many more or fewer of them are wrong as of all labels.

        Examples
        --------
        >>> NoiseRate(0.1, 0.05, 0.2).range_of(0.6)
        (0.3, 1.0)
        """
        if np.isnan(fraction) or not self.estimate:
            return fraction, fraction
        return (
            float(fraction * self.low / self.estimate),
            float(min(1.0, fraction * self.high / self.estimate)),
        )


def rates_by(
    values: Any,
    n: int,
    rows: np.ndarray,
    p_wrong: np.ndarray,
    flagged: np.ndarray,
    strata: np.ndarray,
    rate: NoiseRate,
    check: Any = None,
) -> dict[str, np.ndarray]:
    """One array per column of the table by value, the noisiest value first.

    ``values`` has one entry for each of the ``n`` rows, ``rows`` to ``strata`` have one for each
    label that may be wrong; ``rate`` is that of all of them. Of a self-check that knows the rows
    of injected errors, it is told how many of them were found.
    """
    words, codes = _values(values, n, rows)
    rates = value_rates(codes, p_wrong, rate)
    columns = {
        "value": words,
        "rows": np.bincount(codes),
        **dict(zip(("rate", "low", "high"), rates.T, strict=True)),
        "flagged": np.bincount(codes, weights=flagged).astype(int),
        "chance": chance_to_stand_out(codes, p_wrong, strata),
    }
    planted = getattr(check, "planted_rows", ())
    if len(planted):
        of_row = np.zeros(n, dtype=int)
        of_row[rows] = codes
        found = count_found_by(of_row[planted], check.planted_found, len(words))
        found["overlooked"] = correct_by_holm(found["overlooked"], found["planted"])
        columns |= found
    order = np.argsort(-columns["rate"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def describe_rates(name: str, columns: dict[str, np.ndarray]) -> dict[str, Any]:
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
    values = [
        f"{value} ({percent(rate)}, {percent(low)} to {percent(high)})"
        for value, rate, low, high in zip(
            *(columns[name][out] for name in ("value", "rate", "low", "high")), strict=True
        )
    ]
    stand = "stands" if out.sum() == 1 else "stand"
    chances = max(1, int(np.ceil(100 * columns["chance"][out].max())))  # of 100
    beside = "" if elsewhere is None else f"; elsewhere {percent(elsewhere)} are wrong"
    return (
        f"{join_names(values)} {stand} out{beside}. By chance, one of {plural(len(out), 'value')} "
        f"would look so in fewer than {count(chances)} of 100 such tables."
    )


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
    dates, _ = parse_dates(days.tolist())
    if dates is None:
        return words, codes
    month = dict(zip(days.tolist(), dates.astype("M8[M]").astype(str).tolist(), strict=True))
    short, of = np.unique([month.get(word, MISSING) for word in words], return_inverse=True)
    return short, of[codes]


def value_rates(codes: np.ndarray, p_wrong: np.ndarray, rate: NoiseRate) -> np.ndarray:
    """Estimate, low and high of the noise rate of the rows with each code, shape (values, 3).

    ``p_wrong`` was computed as if all rows were equally noisy, so its mean draws the rate of each
    value to that of all. What a row says by itself is how much more probable it is if its label is
    wrong than if not, ``L = odds(p_wrong) / odds(rate)``. How probable each rate r of a value is
    follows from ``prod(1 - r + r L)``, with a beta distribution of the rates of all values, as
    concentrated as makes the rows most probable; and from r, anew, how probable it is that each
    label is wrong. An interval also knows how far the rate of all rows may be off.
    """
    centre = float(np.clip(p_wrong.mean(), SURE, 1 - SURE))
    likelihood, means, variances = _sum_by_rate(codes, p_wrong, centre)
    posterior = _posterior(likelihood, centre)
    mean = (posterior * means).sum(axis=1)
    spread = (posterior * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)
    mean = mean.clip(SURE, 1 - SURE)
    size = np.maximum(mean * (1 - mean) / np.maximum(spread, SURE**2) - 1, SURE)
    low, high = (beta.ppf(level, mean * size, (1 - mean) * size) for level in (0.05, 0.95))
    rates = np.column_stack([mean, np.minimum(low, mean), np.maximum(high, mean)])
    return _with_common_error(rates, rate, centre)


def _sum_by_rate(codes: np.ndarray, p_wrong: np.ndarray, centre: float) -> np.ndarray:
    """Sums over the rows of each value if its labels were wrong at each rate, (values, rates).

    Log-likelihood, and mean and variance of the fraction of wrong labels among these rows.
    """
    ratio = np.exp(logit(np.clip(p_wrong, SURE, 1 - SURE)) - logit(centre))
    rows = np.bincount(codes)
    likelihood, mean, variance = sums = np.empty((3, len(rows), len(RATES)))
    for j, rate in enumerate(RATES):
        both = 1 + rate * (ratio - 1)
        p = rate * ratio / both
        likelihood[:, j] = np.bincount(codes, weights=np.log(both))
        mean[:, j] = np.bincount(codes, weights=p) / rows
        variance[:, j] = np.bincount(codes, weights=p * (1 - p)) / rows**2
    return sums


def _posterior(logs: np.ndarray, centre: float) -> np.ndarray:
    """Probability of each rate for each value."""
    edges = np.r_[0.0, (RATES[1:] + RATES[:-1]) / 2, 1.0]  # what is beyond counts at the ends
    masses = [np.diff(beta.cdf(edges, k * centre, k * (1 - centre))) for k in CONCENTRATIONS]
    priors = np.log(np.maximum(masses, np.finfo(float).tiny))
    evidence = [logsumexp(logs + prior, axis=1).sum() for prior in priors]
    best = logs + priors[int(np.argmax(evidence))]
    return np.exp(best - logsumexp(best, axis=1, keepdims=True))


def _with_common_error(rates: np.ndarray, rate: NoiseRate, centre: float) -> np.ndarray:
    """Both errors together, as independent ones of the log-odds."""
    estimate, low, high = logit(np.clip(rates, 1e-12, 1 - 1e-12)).T
    below, above = logit(np.clip([rate.low, rate.high], 1e-12, 1 - 1e-12)) - logit(centre)
    low = estimate - np.hypot(estimate - low, min(below, 0.0))
    high = estimate + np.hypot(high - estimate, max(above, 0.0))
    return np.column_stack([rates[:, 0], expit(low), expit(high)])


def chance_to_stand_out(codes: np.ndarray, p_wrong: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Chance that a value has rows as suspicious as these, if values mean nothing.

    Rows change their values at random within each stratum (a label, as some are harder than
    others). The chance is that of the sum of ``p_wrong`` or a larger one, by the normal
    distribution, times the number of values: Bonferroni's bound for looking at all of them.
    """
    n_values = codes.max() + 1
    above = np.zeros(n_values)
    variance = np.zeros(n_values)
    for stratum in np.unique(strata):
        p = p_wrong[strata == stratum]
        of = codes[strata == stratum]
        rows = np.bincount(of, minlength=n_values)
        above += np.bincount(of, weights=p, minlength=n_values) - rows * p.mean()
        variance += rows * (len(p) - rows) / max(len(p) - 1, 1) * p.var()
    z = np.divide(above, np.sqrt(variance), out=np.zeros(n_values), where=variance > 0)
    return np.minimum(norm.sf(z) * n_values, 1.0)
