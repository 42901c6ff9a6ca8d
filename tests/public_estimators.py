"""Every public estimator of errata, ready to be fitted, and rows to fit it to."""

import inspect
import warnings

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errata
from errata.elm import ELMRegressor
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    SupervisedProjectionEnsembleClassifier,
)
from errata.exceptions import ClassRetentionWarning
from errata.filters import (
    BaggingFilter,
    Cleaner,
    CrossValFilter,
    DetectorFilter,
    FilteredClassifier,
    LabelDeletionClassifier,
    LinearProgramPeeler,
    MarginPeeler,
    SuspicionWeightedClassifier,
    WeightPeeler,
)
from errata.hardness import InstanceHardness, NeighborDisagreement
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM
from errata.tolerant import (
    NoiseModelClassifier,
    ReinforcedClassifier,
    RobustMixtureClassifier,
    UnbiasedLogisticRegression,
)

# Those that are made of other estimators, or must be told what they do not choose themselves, and
# those whose own choice is slow: each is fitted some hundred times.
INSTANCES = {
    CrossValFilter: CrossValFilter(LogisticRegression(), cv=3),
    InstanceHardness: InstanceHardness([GaussianNB(), DecisionTreeClassifier(max_depth=3)], cv=3),
    BaggingFilter: BaggingFilter(n_estimators=15),
    SupervisedProjectionEnsembleClassifier: SupervisedProjectionEnsembleClassifier(n_estimators=5),
    GentleBoostClassifier: GentleBoostClassifier(n_estimators=60),
    LogitBoostClassifier: LogitBoostClassifier(n_estimators=60),
    LinearProgramPeeler: LinearProgramPeeler(n_estimators=100),
    WeightPeeler: WeightPeeler(n_estimators=100),
    ReinforcedClassifier: ReinforcedClassifier(max_iter=20, tol=0.01),
    RobustMixtureClassifier: RobustMixtureClassifier(n_components=3),
    LabelDeletionClassifier: LabelDeletionClassifier(GaussianNB(), NeighborDisagreement()),
    SuspicionWeightedClassifier: SuspicionWeightedClassifier(GaussianNB(), NeighborDisagreement()),
    errata.AuditedClassifier: errata.AuditedClassifier(GaussianNB(), estimators=[GaussianNB()]),
    Cleaner: Cleaner(NeighborDisagreement()),
    DetectorFilter: DetectorFilter(NeighborDisagreement()),
    FilteredClassifier: FilteredClassifier(MarginPeeler(), DiscreteAdaBoostClassifier()),
    NoiseModelClassifier: NoiseModelClassifier(cv=2, tol=0.01),  # the same, in a fifth of the time
    UnbiasedLogisticRegression: UnbiasedLogisticRegression(0.1),
    # Both kinds of hidden units are checked: sums in the classifier, distances here.
    ELMRegressor: ELMRegressor(activation="rbf"),
    # Few rows starve mixtures, and the labels of scikit-learn's checks are -1 and 1.
    BaumWelchHMM: BaumWelchHMM(n_components=1, n_init=1, missing_label=None),
    SupervisedHMM: SupervisedHMM(n_components=1, n_init=1, missing_label=None),
    TolerantHMM: TolerantHMM(n_components=1, n_init=1, missing_label=None),
}


def public_estimators():
    """Every estimator class that some room of errata exports."""
    rooms = [getattr(errata, name) for name in errata.__all__]
    exported = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", [])]
    classes = {c for c in exported if inspect.isclass(c) and issubclass(c, BaseEstimator)}
    return sorted(classes, key=lambda c: c.__name__)


ESTIMATORS = [INSTANCES[c] if c in INSTANCES else c() for c in public_estimators()]


def planted(n_samples=60, n_classes=3, n_flips=6):
    """Separated blobs in which some labels are wrong."""
    X, y = make_blobs(n_samples, centers=n_classes, n_features=3, random_state=0)
    y_noisy, _ = errata.noise.flip_labels(y, n_flips=n_flips, random_state=0)
    return X, y_noisy


def with_params(estimator, **parameters):
    """A clone with these parameters, its own or those of the estimator it wraps."""
    estimator = clone(estimator)
    names = {parameter: parameter_names(estimator, parameter) for parameter in parameters}
    return estimator.set_params(
        **{name: parameters[parameter] for parameter, found in names.items() for name in found}
    )


def parameter_names(estimator, parameter):
    """What this parameter is called in ``set_params``, of itself or of what it wraps."""
    names = estimator.get_params()
    if parameter in names:
        return [parameter]
    return [name for name in names if name.endswith(f"__{parameter}") and name.count("__") == 1]


def fitted(estimator, X, y, **fit_params):
    with warnings.catch_warnings():
        # Votes of stumps on three classes flag nearly everything.
        warnings.simplefilter("ignore", ClassRetentionWarning)
        return with_params(estimator, random_state=0).fit(X, y, **fit_params)


def detectors(attribute="suspicion_"):
    """Those that say so: a fit of all while tests are collected would compile every loop twice."""
    return [e for e in ESTIMATORS if attribute in documented_attributes(e)]


def documented_attributes(estimator):
    """The names under "Attributes" in the docstring."""
    _, _, text = inspect.getdoc(type(estimator)).partition("Attributes\n----------\n")
    lines = text.partition("\n\n")[0].splitlines()
    heads = [line.partition(" :")[0] for line in lines if not line.startswith(" ")]
    return {name for head in heads for name in head.split(", ")}


def answer(model, X):
    """What a fitted estimator has to say of the training rows, and of ``X``."""
    found = [v for name, v in sorted(vars(model).items()) if name.endswith("_")]
    said = [v.ravel() for v in found if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    for method in ("predict_proba", "decision_function", "predict", "transform"):
        if hasattr(model, method):
            said.append(np.asarray(getattr(model, method)(X), dtype=float).ravel())
            break
    return np.concatenate(said)
