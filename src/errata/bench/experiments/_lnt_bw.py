"""Frénay, Doquire and Verleysen (2014): backward search with noise-tolerant mutual information.

Figures 1 and 4 to 6: columns are selected from clean labels (BW-C), from noisy ones (BW-N), and
from noisy ones by the tolerant estimate (LNT-BW), on the eleven sets of table 1. The paper prints
no error rates; its claims are about the order of the three, and :func:`illustrate_lnt` tests it.
"LNT-BW, as printed" counts a row as its own neighbour, as the paper's algorithm does; "LNT-BW,
once" keeps the memberships of all columns along the path.

Beside the paper, the rows that a filter or an audit flags are removed before a plain search
(:data:`lnt_cleaning`), on the same splits and the same wrong labels.
"""

from pathlib import Path
from typing import Any

from ...feature_selection import LabelNoiseMemberships, MutualInformationSelector
from ...filters import Cleaner, CutEdgeFilter
from .._experiment import Experiment
from ._lnt_example import write_example
from ._noisy_selection import (
    LARGEST,
    METRICS,
    AfterAudit,
    AfterCleaning,
    ByMemberships,
    FromLabels,
    NoisySelection,
)
from ._sizes import write_sizes

PLAIN = MutualInformationSelector()
TOLERANT = MutualInformationSelector(label_noise="tolerant")
AS_PRINTED = MutualInformationSelector(
    label_noise="tolerant", noise_params={"self_count": True, "slack": 0.0}
)
ONCE = MutualInformationSelector(label_noise="tolerant", noise_refit=False)
PUBLISHED = {
    "BW-C": FromLabels(PLAIN, clean=True),
    "BW-N": FromLabels(PLAIN),
    "LNT-BW": FromLabels(TOLERANT),
}
DATASETS = {
    "Iris": "iris",
    "Wine": "wine",
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Vertebral": "vertebral3",
    "Yeast": "yeast",
    "Vehicle": "vehicle",
    "Segment": "segment",
    "Page": "page_blocks",
    "Wall robot": "wall_robot",
    "Waveform": "waveform40",
}
MEASURE = NoisySelection({"ecoli": 5, "glass": 3, "yeast": 4})


def illustrate_lnt(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by size, and the example of sections 3.2 and 4.5."""
    every = (("LNT-BW", "BW-N"), ("LNT-BW", "BW-C"), ("LNT-BW, once", "LNT-BW"))
    measured = {result["method"] for result in results}
    pairs = [pair for pair in every if measured.issuperset(pair)]
    return [*write_sizes(results, folder, LARGEST, pairs), *write_example(folder)]


lnt_bw = Experiment(
    name="lnt-bw",
    title="Frénay and others 2014: feature selection that tolerates label noise",
    datasets=DATASETS,
    methods=PUBLISHED
    | {"LNT-BW, as printed": FromLabels(AS_PRINTED), "LNT-BW, once": FromLabels(ONCE)},
    noise_levels=(0.1, 0.2),
    repetitions=100,
    metrics=METRICS,
    measure=MEASURE,
    illustrate=illustrate_lnt,
    quick={"datasets": {"Iris": "iris", "Wine": "wine"}, "repetitions": 5},
)

CLEANED = {
    "cut edges, BW": AfterCleaning(PLAIN, Cleaner(CutEdgeFilter())),
    "memberships, BW": AfterCleaning(PLAIN, Cleaner(LabelNoiseMemberships())),
    "memberships once": ByMemberships(TOLERANT, LabelNoiseMemberships()),
    "audit, BW": AfterAudit(PLAIN),
    "audit's posterior": AfterAudit(TOLERANT, posterior=True),
}


def illustrate_cleaning(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by size, and where cleaning first is better or worse than tolerance."""
    return write_sizes(results, folder, LARGEST, [(name, "LNT-BW") for name in CLEANED])


lnt_cleaning = Experiment(
    name="lnt-cleaning",
    title="Feature selection that tolerates label noise, or that comes after cleaning",
    datasets={name: DATASETS[name] for name in ("Iris", "Wine", "Glass", "Vertebral")},
    methods=PUBLISHED | CLEANED,
    noise_levels=(0.2,),
    repetitions=20,
    metrics=METRICS,
    measure=MEASURE,
    illustrate=illustrate_cleaning,
    quick={"datasets": {"Iris": "iris"}, "repetitions": 2},
)
