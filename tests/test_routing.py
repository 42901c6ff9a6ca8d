import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from errata._routing import make_router, route_fit, take_params_of_rows, takes_sample_weight


class Tagged(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None, tag=None):
        return self


class Owner(BaseEstimator):
    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None, **fit_params):
        return self

    def get_metadata_routing(self):
        return make_router(self, estimator=self.estimator)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_part_gets_what_it_asked_for(routing):
    owner = Owner(Tagged().set_fit_request(tag=True))
    assert route_fit(owner, {"tag": "a"}) == {"tag": "a"}
    assert route_fit(owner, {}) == {}
    assert route_fit(Owner(Tagged().set_fit_request(tag="kind")), {"kind": "b"}) == {"tag": "b"}


def test_a_part_is_not_given_what_it_did_not_ask_for(routing):
    with pytest.raises(UnsetMetadataPassedError, match="tag"):
        route_fit(Owner(Tagged()), {"tag": "a"})
    with pytest.raises(TypeError, match="colour"):
        route_fit(Owner(Tagged()), {"colour": "red"})


def test_without_routing_metadata_gets_a_sentence():
    assert route_fit(Owner(Tagged()), {}) == {}
    with pytest.raises(TypeError, match=r"Owner.fit got tag, .*enable_metadata_routing=True"):
        route_fit(Owner(Tagged()), {"tag": "a"})


def test_the_owner_asks_for_itself(routing):
    asked = Owner(Tagged()).set_fit_request(sample_weight=True).get_metadata_routing()
    assert asked.consumes("fit", ["sample_weight", "tag"]) == {"sample_weight"}


def test_values_of_rows_follow_the_rows_and_others_stay():
    params = {"tag": [10, 20, 30], "weight": np.array([1.0, 2, 3]), "kind": "a"}
    found = take_params_of_rows(params, 3, np.array([2, 0]))
    assert found["tag"] == [30, 10]
    assert found["weight"].tolist() == [3, 1]
    assert found["kind"] == "a"


def test_weights_are_taken_by_the_argument_or_by_routing():
    assert takes_sample_weight(GaussianNB())
    assert not takes_sample_weight(KNeighborsClassifier())
    assert not takes_sample_weight(make_pipeline(GaussianNB()))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_fit_request(sample_weight=True)
        assert takes_sample_weight(make_pipeline(asking))
    assert not takes_sample_weight(make_pipeline(asking))
