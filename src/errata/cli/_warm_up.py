"""``errata warm-up``: compile what audits run before the first of them, for images and builds."""

import time
from importlib.util import find_spec

import click

import errata

from ._common import say

ROWS = 3_000  # from which everything that an audit of a table runs is compiled
GIVEN = 100_000  # the same for probabilities of ten classes


@click.command(name="warm-up")
def warm_up() -> None:
    """Compile what audits run, so that the first one need not.

    Numba keeps what it compiles beside the installed package, or in NUMBA_CACHE_DIR. Run this once
    where an image or an environment is built, by the user and on the processor that will audit.
    """
    if find_spec("numba") is None:
        say("Numba is not installed: there is nothing to compile.")
        return
    import numpy as np  # the help of other commands does without

    started = time.process_time()
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 4))
    codes = (X[:, 0] + random.normal(size=ROWS) > 0).astype(int)
    errata.audit(X, codes, self_check=False, random_state=0)
    labels = np.arange(GIVEN) % 10
    proba = random.dirichlet(np.ones(10), size=GIVEN)
    errata.audit(None, labels, pred_proba=proba, self_check=False, random_state=0)
    # Of a table that is larger than what is learnt from, other rows are predicted.
    data = errata.auditing.TrainingData(X, codes, n_classes=2, more_rows=True)
    rows = errata.auditing.NewRows(X)
    for model in errata.auditing.default_models(10**6, n_classes=2):
        model.cross_fit(data).predictor.predict_proba(rows)  # type: ignore[attr-defined]
    say(f"What audits run is compiled; it took {time.process_time() - started:.1f} s.")
