import numpy as np
import pytest
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler

from errata.tolerant import ReinforcedDensity


def cloud(seed=0, n=80):
    X = np.random.RandomState(seed).standard_normal((n, 2))
    X[:2] = [[7, 7], [-6, 5]]
    return X


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("cv", [None, KFold(5, shuffle=True, random_state=0)])
def test_rows_far_from_the_others_lose_their_weight(penalty, cv):
    model = ReinforcedDensity(
        KernelDensity(bandwidth=0.7), reinforcement_penalty=penalty, cv=cv
    ).fit(cloud())
    assert set(np.argsort(model.log_likelihood_)[:2]) == {0, 1}
    assert model.flagged_[:2].all()
    assert model.mean_weight_ == pytest.approx(0.95, abs=1e-9)


def test_the_fitted_density_is_the_weighted_one():
    X = cloud()
    model = ReinforcedDensity(tol=1e-9).fit(X)
    again = KernelDensity().fit(X, sample_weight=np.maximum(model.weights_, 1e-300))
    kept = model.weights_ > 0.5  # elsewhere each row is its own density, fading with its weight
    assert kept.sum() > 70
    np.testing.assert_allclose(
        model.score_samples(X[kept]), again.score_samples(X[kept]), rtol=1e-6
    )
    assert model.score(X) == pytest.approx(model.log_likelihood_.mean())


def test_rows_of_no_density_at_all_lose_all_weight():
    X = np.append(np.linspace(0, 1, 39), 50.0)[:, None]
    folds = KFold(4, shuffle=True, random_state=0)
    tophat = KernelDensity(kernel="tophat", bandwidth=0.5)
    model = ReinforcedDensity(tophat, cv=folds).fit(X)
    assert model.log_likelihood_[-1] == -np.inf
    assert model.weights_[-1] == 0
    assert model.suspicion_[-1] == 1


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (
            GaussianMixture(),
            r"GaussianMixture.fit takes no sample_weight, so rows cannot lose weight",
        ),
        (StandardScaler(), "StandardScaler has no score_samples, so it cannot tell how likely"),
    ],
)
def test_estimators_that_cannot_be_reinforced_get_a_sentence(estimator, sentence):
    with pytest.raises(TypeError, match=sentence):
        ReinforcedDensity(estimator).fit(cloud())
