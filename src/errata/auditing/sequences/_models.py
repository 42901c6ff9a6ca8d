"""Hidden Markov models as models of an audit: each recording is read by fits without it."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..._random import with_seed
from ...sequence import SupervisedHMM, TolerantHMM
from .._models import OutOfFoldModel, TrainingData
from .._settings import COMPONENTS, SEQUENCE_ROWS, SEQUENCE_STEPS, SEQUENCE_TOL
from ._recordings import Recordings


def sequence_models(recordings: Recordings) -> list[OutOfFoldModel]:
    """The models that stand for errata's own where rows follow each other in time.

    They fail in different ways: tolerance may take a class for errors of another, and mixtures
    may learn single recordings by heart.
    """
    # One start and few steps: a fit that is a little better changes hardly any probability.
    how: dict[str, Any] = {"n_init": 1, "max_iter": SEQUENCE_STEPS, "tol": SEQUENCE_TOL}
    models = {
        "tolerant HMM": TolerantHMM(n_components=COMPONENTS, **how),
        "tolerant HMM, one density a class": TolerantHMM(n_components=1, **how),
        "supervised HMM": SupervisedHMM(n_components=COMPONENTS, **how),
    }
    return [HiddenMarkov(name, model, recordings) for name, model in models.items()]


@dataclass(frozen=True)
class HiddenMarkov:
    """A model of sequences, fitted to the recordings of other folds.

    It tells the probability of each class at each moment from the signal of the whole recording,
    and from no label of it: annotators who err do so for a while, and labels that vouch for their
    neighbours would hide just that.
    """

    name: str
    model: Any
    recordings: Recordings  # of the rows to be told of

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits to 50,000 rows each at most, some dozens of passes over them each."""
        folds = data.splits()
        with warnings.catch_warnings():
            # Fits that are not quite settled, labels worse than chance: the audit itself will tell.
            warnings.simplefilter("ignore", UserWarning)
            told = Parallel(n_jobs=data.n_jobs, prefer="threads")(
                delayed(self._told)(data, train, test) for train, test in folds
            )
        proba = np.empty((len(data.codes), data.n_classes), dtype=np.float32)
        for (_, test), found in zip(folds, told, strict=True):
            proba[test] = found
        return proba

    def for_rows(self, rows: np.ndarray) -> "HiddenMarkov":
        """The same model for some of the rows."""
        return replace(self, recordings=self.recordings.for_rows(rows))

    def _told(self, data: TrainingData, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        random = np.random.default_rng(data.random_state)
        train = train[self.recordings.for_rows(train).windows(SEQUENCE_ROWS, random)]
        shares = np.bincount(data.codes[train], minlength=data.n_classes) / len(train)
        known = np.flatnonzero(shares)
        if len(known) < 2:
            return np.tile(shares.astype(np.float32), (len(test), 1))
        model = self._fitted(data, train)
        held_out = self.recordings.for_rows(test)
        found = model.predict_proba(data.X[test][held_out.order], held_out.lengths)
        # What the training rows lack is as probable as it is frequent: nothing tells.
        lacking = shares == 0
        overall = np.bincount(data.codes, minlength=data.n_classes) / len(data.codes)
        proba = np.where(lacking, overall, 0.0) * np.ones((len(test), 1))
        proba[:, known] = held_out.in_table(found) * (1 - overall[lacking].sum())
        return proba

    def _fitted(self, data: TrainingData, train: np.ndarray) -> Any:
        part = self.recordings.for_rows(train)
        rows = train[part.order]
        model = with_seed(clone(self.model), data.random_state)
        return model.fit(data.X[rows], data.codes[rows], part.lengths)
