"""An assertion on the labels of a table."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..auditing import Audit


def assert_labels(
    df: Any,
    label: Any,
    most_wrong: float = 0.02,
    *,
    n_shown: int = 5,
    random_state: Any = 0,
    **options: Any,
) -> "Audit":
    """Raise an AssertionError where more labels than ``most_wrong`` are probably wrong.

    The estimate is compared, as ``errata audit --fail-above`` does. Where the columns do not tell
    the labels apart, nobody knows, and the assertion fails, too.

    Parameters
    ----------
    df : table of shape (n, d)
        A dataframe or whatever else :func:`errata.audit` takes.
    label : array-like of shape (n,) or str
        The labels, or the name of their column.
    most_wrong : float, default=0.02
        The largest fraction of wrong labels that is accepted.
    n_shown : int, default=5
        How many rows the message shows, the most suspicious ones.
    random_state : int, RandomState or None, default=0
        A test gives the same answer every time.
    **options
        Further arguments of :func:`errata.audit`. There is no self-check unless it is asked for.

    Returns
    -------
    Audit
        For further assertions.

    Examples
    --------
    >>> from errata.testing import assert_labels
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> audit = assert_labels(iris, "target", most_wrong=0.05)
    >>> iris.loc[:14, "target"] = 2
    >>> assert_labels(iris, "target", most_wrong=0.05)
    Traceback (most recent call last):
    ...
    AssertionError: ...% of the labels are probably wrong (...), more than 5.0%...
    """
    # pytest loads the plug-in beside this file at every start, whether it is used or not.
    from .._validation import check_fraction
    from ..auditing import audit

    check_fraction("most_wrong", most_wrong)
    result = audit(df, label, random_state=random_state, **{"self_check": False, **options})
    rate = result.noise_rate
    if not result.has_skill and rate.high > most_wrong:
        raise AssertionError(
            f"whether more than {most_wrong:.1%} of the labels are wrong cannot be judged: the "
            "columns do not tell the labels apart."
        )
    if rate.estimate <= most_wrong:
        return result
    worst = result.table().head(n_shown).to_string(index=False)
    raise AssertionError(
        f"{rate.estimate:.1%} of the labels are probably wrong ({rate.low:.1%} to "
        f"{rate.high:.1%}), more than {most_wrong:.1%}. The most suspicious rows:\n{worst}"
    )
