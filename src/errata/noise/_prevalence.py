"""Draws of how common a class is, where priors are all that is known of the errors of labels."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_count, check_fraction


def sample_prevalence(
    n_positive: int,
    n_rows: int,
    *,
    prevalence: Any = (1.0, 1.0),
    sensitivity: Any = (1.0, 1.0),
    specificity: Any = (1.0, 1.0),
    n_draws: int = 5000,
    burn_in: int = 500,
    random_state: Any = None,
) -> np.ndarray:
    """Draw from the posterior of how common a class is, and of the errors of its labels.

    Two classes, of whose labels only the number is known: one count cannot tell prevalence from
    errors, so that all three unknowns have Beta priors, and the answer leans on them. Reach for it
    where labels come from a test with published sensitivity and specificity, as in medicine. With
    flat priors it says next to nothing, and rightly so. :meth:`NoiseModel.correct_prior` is for
    rates that are known. Costs O(n_draws).

    Parameters
    ----------
    n_positive : int
        Number of rows with the positive label.
    n_rows : int
        Number of rows.
    prevalence, sensitivity, specificity : pair of float, default=(1, 1)
        Beta priors of P(class positive), P(label positive | class positive) and P(label negative |
        class negative); (1, 1) is flat. (a, b) is worth a - 1 successes and b - 1 failures seen.
    n_draws : int, default=5000
        Number of draws kept.
    burn_in : int, default=500
        Number of draws left out at the start.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    array of shape (n_draws, 3)
        Prevalence, sensitivity and specificity.

    Notes
    -----
    Gibbs sampling [1]_: the numbers of true positives among rows of either label are drawn from
    binomial distributions given the three rates, then each rate from a Beta given the numbers.
    Draws that follow each other are alike.

    References
    ----------
    .. [1] Joseph, Gyorkos and Coupal. Bayesian estimation of disease prevalence and the parameters
       of diagnostic tests in the absence of a gold standard. American Journal of Epidemiology 141,
       1995.

    Examples
    --------
    A fifth of 500 labels are positive, by a test that misses one case in ten and is wrong about one
    healthy person in ten, as far as two hundred of each have shown:

    >>> import numpy as np
    >>> from errata.noise import sample_prevalence
    >>> draws = sample_prevalence(
    ...     100, 500, sensitivity=(180, 20), specificity=(180, 20), random_state=0
    ... )
    >>> low, middle, high = np.quantile(draws[:, 0], [0.025, 0.5, 0.975])
    >>> bool(0.05 < low < 0.12 < middle < 0.14 < high < 0.2)
    True
    """
    check_count("n_rows", n_rows)
    check_count("n_positive", n_positive, low=0, high=n_rows)
    check_count("n_draws", n_draws)
    check_count("burn_in", burn_in, low=0)
    priors = [
        _check_beta(name, prior)
        for name, prior in [
            ("prevalence", prevalence),
            ("sensitivity", sensitivity),
            ("specificity", specificity),
        ]
    ]
    random = check_random_state(random_state)
    n_negative = n_rows - n_positive
    rates = [a / (a + b) for a, b in priors]
    draws = np.empty((burn_in + n_draws, 3))
    for place in range(len(draws)):
        common, sensitive, specific = rates
        found = common * sensitive
        missed = common * (1 - sensitive)
        hits = random.binomial(n_positive, found / (found + (1 - common) * (1 - specific)))
        misses = random.binomial(n_negative, missed / (missed + (1 - common) * specific))
        counts = [
            (hits + misses, n_rows - hits - misses),
            (hits, misses),
            (n_negative - misses, n_positive - hits),
        ]
        rates = [
            # Not quite 0 nor 1, where the fractions above are not defined.
            float(np.clip(random.beta(a + yes, b + no), 1e-12, 1 - 1e-12))
            for (a, b), (yes, no) in zip(priors, counts, strict=True)
        ]
        draws[place] = rates
    return draws[burn_in:]


def _check_beta(name: str, prior: Any) -> tuple[float, float]:
    if np.shape(prior) != (2,):
        raise ValueError(f"{name} must be the two parameters of a Beta prior; got {prior!r}.")
    a, b = prior
    return (
        check_fraction(name, a, low=1e-6, high=np.inf),
        check_fraction(name, b, low=1e-6, high=np.inf),
    )
