import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from errata.filters import Cleaner, DetectorFilter, FilteredClassifier, MarginPeeler
from errata.hardness import ClassLikelihood, NeighborDisagreement

NEIGHBORS = DetectorFilter(NeighborDisagreement())  # takes sparse rows, not missing values
TREES = MarginPeeler(DecisionTreeClassifier(max_depth=1))  # takes missing values, not sparse rows


@pytest.mark.parametrize(
    ("estimator", "sparse", "missing"),
    [
        (NEIGHBORS, True, False),
        (Cleaner(NeighborDisagreement()), True, False),
        (DetectorFilter(ClassLikelihood()), False, False),
        (FilteredClassifier(NEIGHBORS, LogisticRegression()), True, False),
        (FilteredClassifier(TREES, LogisticRegression()), False, False),
        (FilteredClassifier(TREES, HistGradientBoostingClassifier()), False, True),
        (FilteredClassifier(NEIGHBORS, HistGradientBoostingClassifier()), False, False),
    ],
)
def test_what_all_parts_accept_is_accepted(estimator, sparse, missing):
    tags = get_tags(estimator)
    assert (tags.input_tags.sparse, tags.input_tags.allow_nan) == (sparse, missing)
    assert tags.target_tags.required
