import numpy as np
import pytest

import errata
from auditing.large_tables import lower_limits
from auditing.recordings_cases import steady, with_wrong_stretches
from auditing_cases import QUICK, blobs
from errata.noise import flip_labels


@pytest.fixture(scope="session")
def flowers():
    """An audit of three blobs in which twelve labels are wrong, with the class names to escape."""
    X, codes = blobs(150)
    labels, flipped = flip_labels(codes, n_flips=12, random_state=0)
    names = np.array(["<b>rose</b>", "lily", "iris"])
    audit = errata.audit(X, names[labels], estimators=QUICK, title="<i>", random_state=0)
    return audit, flipped


@pytest.fixture
def low_limits(monkeypatch):
    """Audits learn from few rows and judge the others, as they do of large tables."""
    lower_limits(monkeypatch)


@pytest.fixture(scope="session")
def walks():
    """An audit of six recordings in which five stretches are wrong, and which rows these are."""
    X, labels, names = steady()
    noisy, wrong = with_wrong_stretches(labels, [25, 165, 245, 405, 665])
    clock = np.tile(np.arange(120) / 10, 6)
    table = {"t": clock, "up": X[:, 0], "side": X[:, 1], "dog": names, "gait": noisy}
    return errata.audit(table, "gait", sequence="dog", title="<dogs>", random_state=0), wrong
