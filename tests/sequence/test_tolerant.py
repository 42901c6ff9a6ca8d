import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from errata.noise import NoiseModel, flip_labels
from errata.sequence import TolerantHMM
from errata.sequence._statistics import warn_if_worse_than_chance
from sequence.hidden_chains import gaussian_chain


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
