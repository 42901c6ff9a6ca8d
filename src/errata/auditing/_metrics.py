"""An audit in numbers alone, flat, for tools that track numbers from run to run."""

from typing import TYPE_CHECKING

from ._noise_rate import NoiseRate

if TYPE_CHECKING:
    from ._base import BaseAudit

Metrics = dict[str, float]


def shared_metrics(audit: "BaseAudit") -> Metrics:
    """What audits of every kind have; what is unknown is left out, as it is no number."""
    found = audit.found()
    flagged = found["flagged"]
    told = {
        **rate_metrics("noise_rate", audit.noise_rate),
        "has_skill": int(audit.has_skill),
        "n_rows": len(audit),
        "n_judged": found["rows"],
        "n_flagged": flagged["count"],
        "expected_wrong": found["noise_rate"]["count"],
        "expected_precision": flagged["expected_precision"],
        "expected_recall": flagged["expected_recall"],
        **_check_metrics(audit),
    }
    if not audit.has_skill:  # all that is known is how many there may be
        told |= dict.fromkeys(("noise_rate", "expected_wrong"))
    return {name: value for name, value in told.items() if value is not None}


def rate_metrics(name: str, rate: NoiseRate) -> Metrics:
    """A rate and its interval.

    >>> rate_metrics("noise_rate", NoiseRate(0.1, 0.05, 0.2))
    {'noise_rate': 0.1, 'noise_rate_low': 0.05, 'noise_rate_high': 0.2}
    """
    names = (name, f"{name}_low", f"{name}_high")
    return {name: round(float(value), 5) for name, value in zip(names, rate, strict=True)}


def _check_metrics(audit: "BaseAudit") -> dict[str, float | None]:
    check = audit.self_check
    if check is None:
        return {}
    precision = check.average_precision
    return {
        "self_check_injected": check.injected,
        "self_check_found": check.found,
        "self_check_average_precision": None if precision is None else round(float(precision), 4),
    }
