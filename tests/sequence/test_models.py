"""Equalities that hold between the three models, and what every step of any of them keeps."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture

from errata.noise import NoiseModel, flip_labels
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM
from errata.sequence._base import (
    Parameters,
    Sequences,
    count_transitions,
    maximise,
    measure_variances,
    tally_hidden,
    warn_of_trouble,
)
from errata.sequence._models import tally_labelled, warn_if_worse_than_chance
from sequence.hidden_chains import CENTRES, gaussian_chain, staying
from strategies import seeds

PARAMETERS = ("startprob_", "transmat_", "weights_", "means_", "covariances_")

unsettled = pytest.mark.filterwarnings("ignore:the log-likelihood had not settled")


def noisy_chain(n=300, rate=0.15, seed=0, **how):
    X, classes = gaussian_chain(n, seed=seed, **how)
    labels, _ = flip_labels(classes, rate, random_state=seed)
    return X, labels, classes


def start_of(model, sequences):
    """The first start of a model of three classes."""
    model.classes_ = np.arange(3)
    pairs, allowed = count_transitions(sequences, 3), np.ones((3, 3), dtype=bool)
    return model._starts(sequences, pairs, allowed, measure_variances(sequences.X))[0]


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
    labelled = Sequences(X, y.astype(np.int16), np.array([len(X)]))
    start = start_of(TolerantHMM(n_components=2, reg_covar=0, random_state=0), labelled)
    expectation = partial(tally_hidden, labelled.unlabelled(), scaled=False)
    ours, theirs = (
        maximise(
            start,
            expectation,
            partial(model._maximisation, measure_variances(X)),
            n_samples=len(X),
            tol=-np.inf,
            max_iter=10,
        )[0]
        for model in (TolerantHMM(reg_covar=0), BaumWelchHMM(reg_covar=0))
    )
    np.testing.assert_array_equal(ours.means, theirs.means)
    np.testing.assert_array_equal(ours.transitions, theirs.transitions)
    np.testing.assert_array_equal(ours.labels, start.labels)  # nothing was learnt


def test_blocks_of_sequences_add_up():
    X, y, _ = noisy_chain()
    lengths = np.array([70, 1, 29, 150, 50])
    whole = Sequences(X, y.astype(np.int16), np.cumsum(lengths))
    start = start_of(TolerantHMM(n_components=2, n_init=1, random_state=0), whole)
    together = tally_hidden(whole, start, scaled=False)
    one, other = (
        Sequences(X[rows], whole.codes[rows], np.cumsum(part))
        for rows, part in ((slice(0, 100), lengths[:3]), (slice(100, 300), lengths[3:]))
    )
    apart = tally_hidden(other, start, False).merge(tally_hidden(one, start, False))
    for mine, theirs in zip(together, apart, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("model", [SupervisedHMM, BaumWelchHMM, TolerantHMM])
def test_any_partition_into_blocks_gives_the_same_parameters(model, monkeypatch):
    X, y, _ = noisy_chain(400, cycle=True)
    y[7] = -1
    how = {"n_components": 2, "n_init": 2, "random_state": 0, "transitions": [0, 1, 2]}
    once = model(**how).fit(X, y, [100, 50, 50, 200])
    monkeypatch.setattr("errata.sequence._base.BLOCK", 60)
    in_blocks = model(**how).fit(X, y, [100, 50, 50, 200])
    parameters_equal(in_blocks, once, 1e-9)


def test_from_one_start_the_order_of_sequences_does_not_matter():
    X, y, _ = noisy_chain(400)
    model = TolerantHMM(n_components=2, n_init=1, random_state=0)
    straight = Sequences(X, y.astype(np.int16), np.array([100, 150, 200, 400]))
    order = np.r_[200:400, 100:150, 0:100, 150:200]
    turned = Sequences(X[order], straight.codes[order], np.array([200, 250, 350, 400]))
    start = start_of(model, straight)
    one, other = (
        maximise(
            start,
            partial(tally_hidden, sequences, scaled=False),
            partial(model._maximisation, measure_variances(X)),
            n_samples=400,
            tol=1e-5,
            max_iter=300,
        )[0]
        for sequences in (straight, turned)
    )
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


def test_it_is_told_when_the_loop_had_not_settled():
    X, y, _ = noisy_chain()
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=2 steps; raise"):
        TolerantHMM(n_components=1, max_iter=2, tol=0, random_state=0).fit(X, y)


def test_it_is_told_when_the_likelihood_fell():
    fallen = (None, None, np.array([-10.0, -9.0, -9.1]), True)
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
    learnt = (getattr(model, name) for name in PARAMETERS[2:])
    kept = Parameters(model.startprob_, model.transmat_, np.eye(3), *learnt)
    found = tally_labelled(sequences, kept, count_transitions(sequences, 3))
    assert model.log_likelihood_ == pytest.approx(found.log_likelihood, rel=1e-12)


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


def start_of_rival(model):
    return Parameters(
        model.startprob_,
        model.transmat_,
        np.eye(3),
        np.ones((3, 1)),
        model.means_[:, None],
        model.covars_[:, None],
    )


@pytest.mark.parametrize("steps", [1, 5])
def test_steps_from_one_start_are_those_of_hmmlearn(steps):
    X, _ = gaussian_chain(400)
    lengths = [150, 250]
    theirs = rival(X, n_iter=steps)
    sequences = Sequences(X, np.empty(0), np.cumsum(lengths)).unlabelled()
    parameters, _, log_likelihoods, _ = maximise(
        start_of_rival(theirs),
        partial(tally_hidden, sequences, scaled=False),
        partial(BaumWelchHMM(reg_covar=0)._maximisation, measure_variances(X)),
        n_samples=400,
        tol=-np.inf,
        max_iter=steps,
    )
    theirs.fit(X, lengths)
    np.testing.assert_allclose(parameters.transitions, theirs.transmat_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(parameters.means[:, 0], theirs.means_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(parameters.covariances[:, 0], theirs.covars_, rtol=0, atol=1e-6)
    assert log_likelihoods[-2] == pytest.approx(theirs.monitor_.history[-1], rel=1e-10)


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


def test_one_component_is_mean_and_covariance_of_each_class():
    X, y = gaussian_chain(500)
    model = SupervisedHMM(n_components=1, n_init=1, reg_covar=0, random_state=0).fit(X, y)
    for c in range(3):
        np.testing.assert_allclose(model.means_[c, 0], X[y == c].mean(axis=0), rtol=1e-10)
        expected = np.cov(X[y == c].T, bias=True)
        np.testing.assert_allclose(model.covariances_[c, 0], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.startprob_, np.bincount(y) / 500, rtol=1e-14)


def test_transitions_are_counted_within_sequences():
    X, _ = gaussian_chain(8)
    y = [0, 0, 1, 1, 0, 1, 1, 0]
    model = SupervisedHMM(n_components=1, n_init=1, random_state=0)
    np.testing.assert_allclose(model.fit(X, y).transmat_, [[1 / 3, 2 / 3], [0.5, 0.5]], rtol=1e-14)
    apart = model.fit(X, y, [4, 4])
    np.testing.assert_allclose(apart.transmat_, [[1 / 3, 2 / 3], [1 / 3, 2 / 3]], rtol=1e-14)
    model.set_params(transmat_prior=1)
    np.testing.assert_allclose(model.fit(X, y).transmat_, [[0.4, 0.6], [0.5, 0.5]], rtol=1e-14)
    model.set_params(transmat_prior=0, startprob="first")
    np.testing.assert_array_equal(model.fit(X, y, [4, 4]).startprob_, [1, 0])
    without_first = model.fit(X, [-1, 0, 1, 1, -1, 1, 1, 0], [4, 4])
    np.testing.assert_allclose(without_first.startprob_, [1 / 3, 2 / 3], rtol=1e-14)


def test_each_mixture_is_that_of_scikit_learn():
    X, y = gaussian_chain(600, centres=np.vstack([CENTRES, CENTRES + 6]))
    y = y % 3  # two clouds for each class
    model = SupervisedHMM(n_components=2, n_init=5, tol=1e-9, reg_covar=0, random_state=0)
    model.fit(X, y)
    for c in range(3):
        theirs = GaussianMixture(2, reg_covar=0, tol=1e-10, n_init=3, random_state=0)
        theirs.fit(X[y == c])
        order, their_order = (np.argsort(m[:, 0]) for m in (model.means_[c], theirs.means_))
        np.testing.assert_allclose(
            model.means_[c, order], theirs.means_[their_order], rtol=0, atol=1e-3
        )


def test_the_log_likelihood_is_that_of_samples_and_labels():
    X, y = gaussian_chain(80)
    model = SupervisedHMM(n_components=1, n_init=1, random_state=0).fit(X, y, [30, 50])
    densities = [
        np.log(model.startprob_[y[[0, 30]]]).sum(),
        sum(np.log(model.transmat_[y[t - 1], y[t]]) for t in range(1, 80) if t != 30),
    ]
    densities += [
        multivariate_normal(model.means_[c, 0], model.covariances_[c, 0]).logpdf(X[y == c]).sum()
        for c in range(3)
    ]
    assert model.log_likelihood_ == pytest.approx(sum(densities), rel=1e-12)


def test_held_out_sequences_are_segmented():
    X, classes = gaussian_chain(2000)
    model = SupervisedHMM(n_components=1, random_state=0).fit(X[:1000], classes[:1000])
    assert np.mean(model.predict(X[1000:]) == classes[1000:]) > 0.95
    np.testing.assert_allclose(model.transmat_, staying(3, 0.9), rtol=0, atol=0.05)
    # Without knowing what comes before and after, a sample is harder to tell.
    alone = model.predict(X[1000:], np.ones(1000, dtype=int))
    assert np.mean(alone == classes[1000:]) < 0.95


def planted(rate=0.2, seed=0, n=600, **how):
    X, classes = gaussian_chain(n, seed=seed, **how)
    labels, wrong = flip_labels(classes, rate, random_state=seed)
    return X, classes, labels, wrong


@pytest.mark.parametrize("seed", range(3))
def test_flipped_labels_are_found_and_their_rates_are_right(seed):
    X, classes, labels, wrong = planted(seed=seed)
    model = TolerantHMM(n_components=1, random_state=0).fit(X, labels)
    true_rates = NoiseModel.from_pairs(classes, labels).error_rates
    np.testing.assert_allclose(model.error_rates_, true_rates, rtol=0, atol=0.05)
    assert roc_auc_score(wrong, model.suspicion_) >= 0.99
    assert np.mean(model.suggested_ == classes) >= 0.97


@pytest.mark.parametrize("noise", ["per_state", "shared", "full"])
def test_what_is_learnt_of_the_noise(noise):
    X, _, labels, _ = planted()
    model = TolerantHMM(n_components=1, noise=noise, n_init=3, random_state=0).fit(X, labels)
    T = model.noise_transition_
    np.testing.assert_allclose(T.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.error_rates_, 1 - np.diag(T), rtol=0, atol=1e-15)
    off = T[~np.eye(3, dtype=bool)].reshape(3, 2)
    assert np.allclose(off[:, 0], off[:, 1], rtol=1e-12) == (noise != "full")
    assert (np.ptp(model.error_rates_) < 1e-12) == (noise == "shared")
    # Each rate is the share of mismatching labels, as the posteriors have it.
    found = [
        model.label_posterior_[labels != c, c].sum() / model.label_posterior_[:, c].sum()
        for c in range(3)
    ]
    if noise != "shared":
        np.testing.assert_allclose(model.error_rates_, found, rtol=0, atol=2e-3)


def test_rows_of_probabilities_sum_to_one_and_masked_transitions_stay_impossible():
    X, _, labels, _ = planted(cycle=True)
    model = TolerantHMM(n_components=2, n_init=2, transitions=[0, 1, 2], random_state=0)
    model.fit(X, labels, [200, 400])
    rows = [model.transmat_, model.weights_, model.noise_transition_, model.label_posterior_]
    for table in [*rows, model.predict_proba(X), model.startprob_[None]]:
        np.testing.assert_allclose(table.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.transmat_ > 0, [[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    ends = np.delete(np.arange(599), 199)  # a sequence may begin with any class
    steps = set(zip(model.suggested_[ends], model.suggested_[ends + 1], strict=True))
    assert steps <= {(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0)}


def test_a_mask_may_be_written_as_a_matrix():
    X, _, labels, _ = planted(cycle=True)
    mask = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    models = [
        TolerantHMM(n_components=1, n_init=1, transitions=given, random_state=0).fit(X, labels)
        for given in ([2, 0, 1], mask)
    ]
    np.testing.assert_array_equal(models[0].means_, models[1].means_)


def test_suspicion_is_the_doubt_of_the_label_and_flags_are_drawn_from_it():
    X, _, labels, _ = planted()
    model = TolerantHMM(n_components=1, n_init=2, random_state=0).fit(X, labels)
    own = model.label_posterior_[np.arange(600), labels]
    np.testing.assert_allclose(model.suspicion_, 1 - own, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.flagged_, model.suspicion_ > 0.5)
    expected = model.set_params(contamination="estimate").fit(X, labels)
    assert expected.flagged_.sum() == round(expected.suspicion_.sum())


def test_missing_labels_are_no_errors_and_are_filled_in():
    X, classes, labels, _ = planted()
    around = np.zeros(600, dtype=bool)
    for boundary in np.flatnonzero(np.diff(classes)):
        around[max(boundary - 1, 0) : boundary + 3] = True
    labels[around] = -1
    model = TolerantHMM(n_components=1, n_init=2, random_state=0).fit(X, labels)
    assert all(np.isfinite(v).all() for v in (model.means_, model.suspicion_, model.transmat_))
    np.testing.assert_array_equal(model.suspicion_[around], 0)
    assert np.mean(model.suggested_[around] == classes[around]) > 0.85
    # Rates are those of labels that are there.
    known = ~around
    posterior = model.label_posterior_[known]
    found = [posterior[labels[known] != c, c].sum() / posterior[:, c].sum() for c in range(3)]
    np.testing.assert_allclose(model.error_rates_, found, rtol=0, atol=2e-3)


def test_new_labels_are_judged_like_those_of_fit():
    X, classes, labels, wrong = planted(n=900)
    model = TolerantHMM(n_components=1, n_init=2, random_state=0).fit(X[:600], labels[:600])
    again = model.relabel(X[:600], labels[:600])
    np.testing.assert_array_equal(again.suspicion, model.suspicion_)
    np.testing.assert_array_equal(again.flagged, model.flagged_)
    np.testing.assert_array_equal(again.suggested, model.suggested_)
    np.testing.assert_array_equal(again.label_posterior, model.label_posterior_)
    new = model.relabel(X[600:], labels[600:], [100, 200])
    assert roc_auc_score(wrong[600:], new.suspicion) > 0.98
    assert np.mean(new.suggested == classes[600:]) > 0.95
    unlabelled = model.relabel(X[600:], np.full(300, -1))
    np.testing.assert_array_equal(unlabelled.suggested, model.predict(X[600:]))
    with pytest.raises(ValueError, match="y holds 7, a label that was not there in fit"):
        model.relabel(X[600:], np.full(300, 7))
    with pytest.raises(ValueError, match="y must hold one label for each of the 300 rows"):
        model.relabel(X[600:], labels)


def test_renaming_classes_permutes_the_result():
    X, _, labels, _ = planted()
    names = np.array(["gamma", "alpha", "beta"])  # another order once sorted
    order = np.argsort(names)
    how = {"n_components": 2, "n_init": 2, "random_state": 0}
    numbers = TolerantHMM(**how).fit(X, labels)
    words = TolerantHMM(**how).fit(X, names[labels])
    np.testing.assert_allclose(words.means_, numbers.means_[order], rtol=0, atol=1e-6)
    np.testing.assert_allclose(words.suspicion_, numbers.suspicion_, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(words.predict(X), names[numbers.predict(X)])


def test_units_do_not_matter():
    X, _, labels, _ = planted()
    how = {"n_components": 2, "n_init": 2, "random_state": 0}
    metres, millimetres = (
        TolerantHMM(**how).fit(X * [1, scale], labels) for scale in (1.0, 1000.0)
    )
    np.testing.assert_array_equal(millimetres.predict(X * [1, 1000]), metres.predict(X))
    np.testing.assert_allclose(millimetres.suspicion_, metres.suspicion_, rtol=0, atol=1e-6)


def test_a_seed_repeats_whatever_runs_at_the_same_time():
    X, _, labels, _ = planted()
    one, two = (
        TolerantHMM(n_components=2, n_init=3, n_jobs=jobs, random_state=3).fit(X, labels)
        for jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.means_, two.means_)
    np.testing.assert_array_equal(one.suspicion_, two.suspicion_)


def test_both_implementations_learn_the_same():
    X, _, labels, _ = planted()
    how = {"n_components": 1, "n_init": 1, "random_state": 0, "transitions": None}
    logs, scaled = (
        TolerantHMM(implementation=name, **how).fit(X, labels, [300, 300])
        for name in ("log", "scaling")
    )
    np.testing.assert_allclose(scaled.means_, logs.means_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(scaled.suspicion_, logs.suspicion_, rtol=0, atol=1e-10)


def test_it_is_told_when_labels_are_worse_than_chance():
    with pytest.warns(ConvergenceWarning, match=r"class 'b' would be wrong in 80% of its samples"):
        warn_if_worse_than_chance(np.array([0.5, 0.8]), np.array(["a", "b"]))
    warn_if_worse_than_chance(np.array([0.5, 0.5]), np.array(["a", "b"]))


def test_a_path_that_cannot_be_is_named():
    X, _ = gaussian_chain(20)
    labels = np.repeat([0, 1, 2, 1, 2], 4)
    model = TolerantHMM(n_components=1, p_e=0, transitions=[0, 1, 2], random_state=0)
    with pytest.raises(ValueError, match=r"begins in row 8 .* its sample 4 \(row 12\): no path"):
        model.fit(X, labels, [8, 12])


def test_a_sequence_that_cannot_even_begin_is_named():
    X, _ = gaussian_chain(20)
    labels = np.repeat([0, 1, 2, 0, 1], 4)
    model = TolerantHMM(n_components=1, p_e=0, startprob="first", random_state=0)
    model.fit(X, labels, [12, 8])  # both begin in class 0
    with pytest.raises(ValueError, match=r"begins in row 8 .* its sample 0 \(row 8\): no path"):
        model.relabel(X, labels, [8, 12])


def test_labels_next_to_a_change_are_not_evidence():
    codes = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1])
    sequences = Sequences(np.zeros((12, 1)), codes, np.array([6, 12]))
    found = sequences.without_boundaries(1).codes
    # Changes at 3 and 8; at 6 another sequence begins.
    assert found.tolist() == [0, 0, -1, -1, 1, 1, 0, -1, -1, 1, 1, 1]
    wide = sequences.without_boundaries(4).codes
    assert wide.tolist() == [-1] * 12
    assert sequences.without_boundaries(0).codes.tolist() == codes.tolist()


def test_ignored_boundaries_are_those_labelled_missing_and_are_judged_by_the_rest():
    random = np.random.RandomState(0)
    classes = np.tile(np.repeat([0, 1], [30, 20]), 6)
    X = random.normal(size=(300, 1)) + 5 * classes[:, None]
    labels = classes.copy()
    labels[30:33] = 0  # the first change comes three samples late
    how = {"n_components": 1, "n_init": 1, "p_e": 0.0, "noise": "fixed", "random_state": 0}
    model = TolerantHMM(**how, ignore_boundaries=4).fit(X, labels)
    changes = np.flatnonzero(np.diff(labels)) + 1
    unlabelled = labels.copy()
    unlabelled[(changes[:, None] + np.arange(-4, 4)).ravel()] = -1
    # The same evidence, but for the pairs of labels that transitions start from.
    twin = TolerantHMM(**how, transmat_prior=1.0).fit(X, unlabelled)
    np.testing.assert_allclose(model.means_, twin.means_, rtol=0, atol=0.02)
    assert model.flagged_.nonzero()[0].tolist() == [30, 31, 32]
    assert (model.suggested_ == classes).all()
    assert SupervisedHMM(n_components=1, random_state=0).fit(X, labels).means_[0, 0, 0] > 0.05
    with pytest.raises(ValueError, match="ignore_boundaries=40 leaves no label of the class 0"):
        TolerantHMM(**how, ignore_boundaries=40).fit(X, labels)
