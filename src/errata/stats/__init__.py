"""Is the difference real? Tests and diagrams that compare methods over several data sets."""

from ._cliques import cliques
from ._diagram import plot_average_ranks, plot_critical_difference
from ._ranks import average_ranks
from ._tests import (
    FriedmanResult,
    WilcoxonHolmResult,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm,
)

__all__ = [
    "average_ranks",
    "friedman_test",
    "FriedmanResult",
    "critical_difference",
    "nemenyi_test",
    "wilcoxon_holm",
    "WilcoxonHolmResult",
    "cliques",
    "plot_critical_difference",
    "plot_average_ranks",
]
