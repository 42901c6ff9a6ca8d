"""What all projections promise as transformers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags

from errata import projections

PROJECTIONS = [getattr(projections, name)() for name in projections.__all__]
every_projection = pytest.mark.parametrize(
    "projection", PROJECTIONS, ids=lambda p: type(p).__name__
)

X, Y = load_iris(return_X_y=True)


@every_projection
def test_columns_have_names_and_come_as_a_dataframe_when_asked_for(projection):
    pandas = pytest.importorskip("pandas")
    model = clone(projection).set_output(transform="pandas").fit(X, Y)
    frame = model.transform(X)
    assert isinstance(frame, pandas.DataFrame)
    stem = type(projection).__name__.lower()
    assert frame.columns.tolist() == [f"{stem}{i}" for i in range(frame.shape[1])]
    assert frame.columns.tolist() == model.get_feature_names_out().tolist()


@every_projection
def test_missing_values_are_refused_as_the_tags_say(projection):
    broken = X.copy()
    broken[3, 1] = np.nan
    assert not get_tags(projection).input_tags.allow_nan
    with pytest.raises(ValueError, match=f"contains NaN, but {type(projection).__name__} does not"):
        clone(projection).fit(broken, Y)
    with pytest.raises(ValueError, match="contains NaN"):
        clone(projection).fit(X, Y).transform(broken)


@every_projection
def test_one_label_is_too_few(projection):
    with pytest.raises(ValueError, match="one class only"):
        clone(projection).fit(X, np.zeros(len(X)))
