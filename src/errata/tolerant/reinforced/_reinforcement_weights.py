"""The weights of the rows under a model of one's own."""

from typing import Any

import numpy as np

from ..._validation import (
    check_choice,
    check_log_probabilities,
    check_log_reinforcement,
    check_mean_weight,
    check_row_weights,
)
from ._mean_weight import choose_log_alpha
from ._weights import PENALTIES, weigh


def reinforcement_weights(
    log_p: Any,
    *,
    reinforcement: float | str = "auto",
    reinforcement_penalty: str = "l1",
    mean_weight: float = 0.95,
    sample_weight: Any = None,
) -> np.ndarray:
    """Weight of each row, ``w = p / (p + r)``, once its probability has been reinforced.

    Reach for it to reinforce a model of your own: maximise the weighted likelihood, compute these
    weights, and repeat. A row that the model finds likely keeps a weight near one; the weight of an
    unlikely row falls in proportion to its probability. The order of the rows never changes. Costs
    O(n log n) for "l1" and some twenty sums for "l2".

    Parameters
    ----------
    log_p : array-like of shape (n,)
        Log-probability or log-density of each row under the model; -inf is accepted (weight 0
        for any finite ``reinforcement``).
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_: the larger, the fewer rows lose weight; infinity leaves every
        row a weight of one. "auto" chooses the constant for which the mean weight is
        ``mean_weight``. (Cross-validation cannot choose it: validation rows hold the same errors as
        training rows, and keeping errors pays off on them.)
    reinforcement_penalty : {"l1", "l2"}, default="l1"
        With "l1" only the rows below the threshold 1/alpha lose weight; "l2" is smooth, with its
        threshold at 1/sqrt(alpha).
    mean_weight : float in (0, 1), default=0.95
        The mean weight to reach with "auto": the fraction of the rows that should be fitted. Too
        low costs little, too high keeps errors in: with 10 % wrong rows take 0.9 or less.
    sample_weight : array-like of shape (n,), optional
        How many rows each row stands for in the mean.

    Returns
    -------
    array of shape (n,), with values in [0, 1]

    Notes
    -----
    The reinforcement ``r >= 0`` maximises ``log(p + r) - alpha Omega(r)`` with ``Omega(r) = r``
    (L1, equation 12 of [1]_) or ``r²/2`` (L2, equation 17), so that ``w = min(1, alpha p)`` or
    ``w = 2z / (z + sqrt(z² + 4))`` with ``z = p sqrt(alpha)``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import reinforcement_weights
    >>> log_p = np.log([0.01, 0.1, 0.5, 0.8, 1.0])
    >>> reinforcement_weights(log_p).round(3)
    array([0.75, 1.  , 1.  , 1.  , 1.  ])
    >>> reinforcement_weights(log_p, reinforcement=412.6, reinforcement_penalty="l2").round(3)
    array([0.184, 0.832, 0.99 , 0.996, 0.998])
    """
    penalty = check_choice("reinforcement_penalty", reinforcement_penalty, PENALTIES)
    log_alpha = check_log_reinforcement(reinforcement)
    mean_weight = check_mean_weight(mean_weight)
    log_p = check_log_probabilities("log_p", log_p)
    counts = check_row_weights("sample_weight", sample_weight, len(log_p))
    if log_alpha is None:
        log_alpha = choose_log_alpha(log_p, counts, mean_weight, penalty)
    return weigh(log_p, log_alpha, penalty)
