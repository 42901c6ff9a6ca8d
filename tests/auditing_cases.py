"""Tables with wrong labels, and probabilities of labels, whose truth is known."""

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest

from errata.auditing._settings import TREES
from errata.auditing.classes import NoisePosterior
from errata.auditing.classes._noise_model import BOUNDARY, UNIFORM, Hypothesis
from errata.auditing.inputs._inputs import inputs_of, read_labels
from errata.auditing.models._default import NearestRows
from errata.auditing.models._pooling import Calibration

QUICK = [NearestRows("neighbours")]  # fits within milliseconds
SOME_TREES = 40  # of the forests of an audit of few rows, where a few hundred tell no more


@contextmanager
def small_forests():
    """Audits grow small forests, where nothing hangs on the last percent."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TREES, 1_000, SOME_TREES)
        yield


class Truth(NamedTuple):
    logs: np.ndarray  # (K, n)
    labels: np.ndarray
    classes: np.ndarray
    transition: np.ndarray
    p_wrong: np.ndarray

    @property
    def wrong(self):
        return self.labels != self.classes


def draw_codes(p, random):
    return (p.cumsum(axis=1) < random.random((len(p), 1))).sum(axis=1).clip(max=p.shape[1] - 1)


def draw_truth(transition, n=20_000, *, overlap=0.02, error=0.0, random_state=0):
    """Classes from Dirichlet posteriors, labels from T; q = p T, with errors if asked for."""
    random = np.random.default_rng(random_state)
    p = random.dirichlet(np.full(len(transition), overlap), n)
    classes = draw_codes(p, random)
    labels = draw_codes(transition[classes], random)
    q = p @ transition
    own = np.arange(n), labels
    logs = np.log(np.maximum(q, 1e-4)) + error * random.normal(size=q.shape)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    p_wrong = 1 - p[own] * transition[labels, labels] / q[own]
    return Truth(logs.T.copy(), labels, classes, transition, p_wrong)


def symmetric(n_classes, rate):
    wrong = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(wrong, 1 - rate)
    return wrong


def read_inputs(table, y, *, known=None, embeddings=None, groups=None, **how):
    """Labels and features checked, as they are before an audit."""
    rows = read_labels(table, y, known)
    return inputs_of(rows._replace(embeddings=embeddings, groups=groups), **how)


def blobs(n=120, n_classes=3, d=4, *, random_state=0):
    """Well separated classes, each with two rows or more."""
    random = np.random.default_rng(random_state)
    codes = np.r_[np.tile(np.arange(n_classes), 2), random.integers(n_classes, size=n)][:n]
    return 4 * random.normal(size=(n_classes, d))[codes] + random.normal(size=(n, d)), codes


X, CODES = blobs(60)
GROUPS = np.arange(60) // 2


def nearly_clean(n_classes, n, n_wrong, sure):
    """Log-probabilities, classes first, and labels of which the first few are wrong."""
    random = np.random.default_rng(0)
    codes = random.integers(n_classes, size=n)
    q = np.full((n_classes, n), (1 - sure) / (n_classes - 1))
    q[codes, np.arange(n)] = sure
    q *= np.exp(0.3 * random.normal(size=q.shape))
    labels = codes.copy()
    labels[:n_wrong] = (codes[:n_wrong] + 1) % n_classes
    return np.log(q / q.sum(axis=0)), labels


def known_noise(transition, calibration=Calibration()):  # noqa: B008
    """One hypothesis that weighs everything, and boundary noise that weighs nothing."""
    k, certain = len(transition), np.array([1.0, 0.0])
    noise = Hypothesis(UNIFORM, 0.1, transition, 1.0, np.zeros(k), grid_rate=0.1)
    return NoisePosterior([noise, noise._replace(kind=BOUNDARY)], certain, certain, calibration, 0)
