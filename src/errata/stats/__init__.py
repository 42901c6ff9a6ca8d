"""Is the difference real? Tests and diagrams that compare methods over several data sets."""

from ._diagram import plot_average_ranks, plot_critical_difference
from ._tests import average_ranks, critical_difference, friedman_test, nemenyi_test, wilcoxon_holm

__all__ = [
    "average_ranks",
    "friedman_test",
    "critical_difference",
    "nemenyi_test",
    "wilcoxon_holm",
    "plot_critical_difference",
    "plot_average_ranks",
]
