import numpy as np
import pytest

import errata
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
