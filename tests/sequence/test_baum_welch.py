from functools import partial

import numpy as np
import pytest

from errata.sequence import BaumWelchHMM
from errata.sequence._base import maximise
from errata.sequence._inputs import Sequences
from errata.sequence._statistics import (
    Chain,
    Mixtures,
    Parameters,
    compute_feature_floor,
    tally_hidden,
)
from sequence.hidden_chains import CENTRES, gaussian_chain

START = np.array([0.5, 0.3, 0.2])
TRANSITIONS = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])


def rival(X, n_iter=1):
    """hmmlearn's model before it has seen anything, without its priors."""
    hmm = pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed")
    model = hmm.GaussianHMM(
        3, covariance_type="full", n_iter=n_iter, tol=-np.inf, init_params="", params="tmc",
        covars_prior=0.0, covars_weight=-5.0, min_covar=0.0,
    )  # fmt: skip
    model.n_features = X.shape[1]  # its covars_ asks for it, and only fit sets it
    model.startprob_, model.transmat_ = START.copy(), TRANSITIONS.copy()
    model.means_ = CENTRES + 0.5
    model.covars_ = np.array([np.eye(2) * s for s in (1.0, 2.0, 0.5)])
    return model


def start_of(model):
    mixtures = Mixtures(np.ones((3, 1)), model.means_[:, None], model.covars_[:, None])
    return Parameters(Chain(model.startprob_, model.transmat_, np.eye(3)), mixtures)


@pytest.mark.parametrize("steps", [1, 5])
def test_steps_from_one_start_are_those_of_hmmlearn(steps):
    X, _ = gaussian_chain(400)
    lengths = [150, 250]
    theirs = rival(X, n_iter=steps)
    sequences = Sequences(X, np.empty(0), np.cumsum(lengths)).unlabelled()
    ours = maximise(
        start_of(theirs),
        partial(tally_hidden, sequences, scaled=False),
        partial(BaumWelchHMM()._maximisation, compute_feature_floor(X, 0)),
        n_samples=400,
        tol=-np.inf,
        max_iter=steps,
    )
    theirs.fit(X, lengths)
    chain, mixtures = ours.parameters
    np.testing.assert_allclose(chain.transitions, theirs.transmat_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(mixtures.means[:, 0], theirs.means_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(mixtures.covariances[:, 0], theirs.covars_, rtol=0, atol=1e-6)
    assert ours.log_likelihoods[-2] == pytest.approx(theirs.monitor_.history[-1], rel=1e-10)


def test_inference_is_that_of_hmmlearn():
    X, _ = gaussian_chain(300)
    theirs = rival(X)
    ours = BaumWelchHMM()
    ours.classes_, ours.n_features_in_ = np.arange(3), 2
    ours.startprob_, ours.transmat_ = theirs.startprob_, theirs.transmat_
    ours.weights_, ours.means_ = np.ones((3, 1)), theirs.means_[:, None]
    ours.covariances_ = theirs.covars_[:, None]
    lengths = [100, 200]
    log_density, path = theirs.decode(X, lengths)
    found, classes = ours.decode(X, lengths)
    assert found == pytest.approx(log_density, rel=1e-12)
    np.testing.assert_array_equal(classes, path)
    np.testing.assert_allclose(
        ours.predict_proba(X, lengths), theirs.predict_proba(X, lengths), rtol=0, atol=1e-9
    )
    assert ours.score_samples(X, lengths).sum() == pytest.approx(theirs.score(X, lengths))


def test_labels_are_only_where_it_starts():
    X, classes = gaussian_chain(600, centres=2 * CENTRES)
    labels = np.random.default_rng(0).permutation(classes)
    labels[::2] = classes[::2]
    model = BaumWelchHMM(n_components=1, random_state=0).fit(X, labels)
    assert np.mean(model.predict(X) == classes) > 0.97
    assert not hasattr(model, "suspicion_")
