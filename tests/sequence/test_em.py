"""Equalities that hold between the three models, and what every step of any of them keeps."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.exceptions import ConvergenceWarning

from errata.noise import flip_labels
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM
from errata.sequence._base import Ascent, maximise, warn_of_trouble
from errata.sequence._inputs import Sequences, count_transitions
from errata.sequence._statistics import (
    Chain,
    Mixtures,
    Parameters,
    add_tallies,
    compute_feature_floor,
    tally_hidden,
    tally_labelled,
)
from sequence.hidden_chains import gaussian_chain
from strategies import seeds

PARAMETERS = ("startprob_", "transmat_", "weights_", "means_", "covariances_")
unsettled = pytest.mark.filterwarnings("ignore:the log-likelihood had not settled")


def noisy_chain(n=300, rate=0.15, seed=0, **how):
    X, classes = gaussian_chain(n, seed=seed, **how)
    labels, _ = flip_labels(classes, rate, random_state=seed)
    return X, labels, classes


def parameters_equal(one, other, atol):
    for name in PARAMETERS:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=0, atol=atol, err_msg=name
        )


@unsettled
@pytest.mark.parametrize("startprob", ["frequency", "first"])
def test_without_errors_the_tolerant_model_is_the_supervised_one(startprob):
    X, y, _ = noisy_chain()
    how = {
        "n_components": 3,
        "n_init": 1,
        "tol": -np.inf,
        "max_iter": 25,
        "random_state": 1,
        "startprob": startprob,
    }
    supervised = SupervisedHMM(**how).fit(X, y, [120, 180])
    tolerant = TolerantHMM(p_e=0, **how).fit(X, y, [120, 180])
    parameters_equal(tolerant, supervised, 1e-12)
    np.testing.assert_array_equal(tolerant.error_rates_, 0)
    assert tolerant.log_likelihood_ == pytest.approx(supervised.log_likelihood_, rel=1e-12)


@unsettled
def test_labels_that_say_nothing_leave_baum_welch():
    X, y, _ = noisy_chain()
    how = {"n_components": 2, "n_init": 1, "tol": -np.inf, "max_iter": 20, "random_state": 0}
    unsupervised = BaumWelchHMM(**how).fit(X, y)
    frozen = TolerantHMM(p_e=2 / 3, noise="fixed", **how).fit(X, y)
    parameters_equal(frozen, unsupervised, 1e-10)
    gap = frozen.log_likelihood_ - unsupervised.log_likelihood_
    assert gap == pytest.approx(-len(X) * np.log(3), abs=1e-9)
    learning = TolerantHMM(p_e=2 / 3, **how).fit(X, y)
    assert np.abs(learning.means_ - unsupervised.means_).max() > 1e-3


@pytest.mark.parametrize(
    "model",
    [SupervisedHMM(), BaumWelchHMM(), *(TolerantHMM(noise=n) for n in ("per_state", "full"))],
    ids=["supervised", "baum_welch", "per_state", "full"],
)
@given(seeds)
@settings(max_examples=10, deadline=None)
@unsettled
@pytest.mark.filterwarnings("ignore:the labels of the class")  # a full matrix may well overfit
def test_no_step_lowers_the_likelihood(model, seed):
    X, y, _ = noisy_chain(200, seed=seed)
    model.set_params(n_components=2, n_init=1, tol=-np.inf, max_iter=15, reg_covar=0)
    trace = model.set_params(random_state=seed).fit(X, y, [80, 120]).log_likelihoods_
    assert len(trace) == 16
    assert (np.diff(trace) >= -1e-9 * np.abs(trace[1:])).all()


@unsettled
def test_with_all_labels_missing_the_tolerant_model_is_baum_welch():
    X, y, _ = noisy_chain()
    model = TolerantHMM(n_components=2, n_init=1, max_iter=10, random_state=0).fit(X, y)
    model.classes_ = np.arange(3)
    labelled = Sequences(X, y.astype(np.int16), np.array([len(X)]))
    no_floor = compute_feature_floor(X, 0)
    start = model._starts(labelled, model._pairs(labelled), no_floor)[0]
    run = partial(maximise, start, n_samples=len(X), tol=-np.inf, max_iter=10)
    solutions = [
        run(partial(tally_hidden, sequences, scaled=False), partial(model._maximisation, no_floor))
        for model, sequences in (
            (TolerantHMM(), labelled.unlabelled()),
            (BaumWelchHMM(), labelled.unlabelled()),
        )
    ]
    ours, theirs = (solution.parameters for solution in solutions)
    np.testing.assert_array_equal(ours.mixtures.means, theirs.mixtures.means)
    np.testing.assert_array_equal(ours.chain.transitions, theirs.chain.transitions)
    np.testing.assert_array_equal(ours.chain.labels, start.chain.labels)  # nothing was learnt


def test_blocks_of_sequences_add_up():
    X, y, _ = noisy_chain()
    model = TolerantHMM(n_components=2, n_init=1, random_state=0)
    lengths = np.array([70, 1, 29, 150, 50])
    model.classes_ = np.arange(3)
    whole = Sequences(X, y.astype(np.int16), np.cumsum(lengths))
    start = model._starts(whole, model._pairs(whole), compute_feature_floor(X, 1e-4))[0]
    together = tally_hidden(whole, start, scaled=False)
    one, other = (
        Sequences(X[rows], whole.codes[rows], np.cumsum(part))
        for rows, part in ((slice(0, 100), lengths[:3]), (slice(100, 300), lengths[3:]))
    )
    apart = add_tallies(tally_hidden(other, start, False), tally_hidden(one, start, False))
    for mine, theirs in zip(together, apart, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("model", [SupervisedHMM, BaumWelchHMM, TolerantHMM])
def test_any_partition_into_blocks_gives_the_same_parameters(model, monkeypatch):
    X, y, _ = noisy_chain(400, cycle=True)
    y[7] = -1
    how = {"n_components": 2, "n_init": 2, "random_state": 0, "transitions": [0, 1, 2]}
    once = model(**how).fit(X, y, [100, 50, 50, 200])
    monkeypatch.setattr("errata.sequence._inputs.BLOCK", 60)
    in_blocks = model(**how).fit(X, y, [100, 50, 50, 200])
    parameters_equal(in_blocks, once, 1e-9)


def test_from_one_start_the_order_of_sequences_does_not_matter():
    X, y, _ = noisy_chain(400)
    model = TolerantHMM(n_components=2, n_init=1, random_state=0)
    model.classes_ = np.arange(3)
    straight = Sequences(X, y.astype(np.int16), np.array([100, 150, 200, 400]))
    order = np.r_[200:400, 100:150, 0:100, 150:200]
    turned = Sequences(X[order], straight.codes[order], np.array([200, 250, 350, 400]))
    floor = compute_feature_floor(X, 1e-4)
    start = model._starts(straight, model._pairs(straight), floor)[0]
    one, other = (
        maximise(
            start,
            partial(tally_hidden, sequences, scaled=False),
            partial(model._maximisation, floor),
            n_samples=400,
            tol=1e-5,
            max_iter=300,
        ).parameters
        for sequences in (straight, turned)
    )
    for mine, theirs in zip(one.mixtures, other.mixtures, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.chain.transitions, other.chain.transitions, rtol=0, atol=1e-9)


def test_it_is_told_when_the_loop_had_not_settled():
    X, y, _ = noisy_chain()
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=2 steps; raise"):
        TolerantHMM(n_components=1, max_iter=2, tol=0, random_state=0).fit(X, y)


def test_it_is_told_when_the_likelihood_fell():
    fallen = Ascent(None, None, np.array([-10.0, -9.0, -9.1]), True)
    warn_of_trouble(fallen, max_iter=2, regularised=True)
    with pytest.warns(ConvergenceWarning, match=r"fell by 0\.1 in a step"):
        warn_of_trouble(fallen, max_iter=2, regularised=False)


def test_the_best_restart_is_kept():
    X, y, _ = noisy_chain()
    alone = [
        BaumWelchHMM(n_components=2, n_init=n, random_state=5).fit(X, y).log_likelihood_
        for n in (1, 6)
    ]
    assert alone[1] > alone[0]


def test_a_supervised_model_keeps_the_best_mixture_of_each_class():
    X, y, _ = noisy_chain()
    model = SupervisedHMM(n_components=3, n_init=6, random_state=5).fit(X, y)
    # Classes are learnt apart, so that the best of each beats the best of all.
    assert model.log_likelihood_ > model.log_likelihoods_[-1]
    sequences = Sequences(X, y.astype(np.int16), np.array([len(X)]))
    kept = Parameters(
        Chain(model.startprob_, model.transmat_, np.eye(3)),
        Mixtures(model.weights_, model.means_, model.covariances_),
    )
    found = tally_labelled(sequences, kept, count_transitions(sequences, 3))
    assert model.log_likelihood_ == pytest.approx(found.log_likelihood, rel=1e-12)
