"""Tables that are large beside the few rows that tests let an audit learn from."""

import numpy as np

from errata.auditing import _assembly, _drawing, _in_memory, _passes, _stored_audit
from errata.noise import flip_labels

LEARNT = 900
PETS = np.array(["ant", "bee", "cat"], dtype=object)


def lower_limits(monkeypatch, learnt=LEARNT, exact=10**6):
    """Let an audit learn from fewer rows, and hold the results of fewer in memory."""
    for module in (_drawing, _in_memory, _stored_audit):
        monkeypatch.setattr(module, "LEARN_ROWS", learnt)
    for module in (_assembly, _passes):
        monkeypatch.setattr(module, "EXACT_ROWS", exact)


def mixed_table(n=3_000, *, seed=0):
    """Columns of numbers, words, dates and gaps with labels, and which of these are wrong."""
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=n)
    size = 5.0 * codes + random.normal(size=n)
    size[random.random(n) < 0.05] = np.nan
    words = np.array(["grey", "brown", "white"], dtype=object)
    fur = words[np.where(random.random(n) < 0.7, codes, random.integers(3, size=n))]
    born = np.datetime64("2020-01-01") + random.integers(500, size=n) + 200 * codes
    table = {
        "size": size,
        "legs": random.normal(size=n) + np.array([6.0, 4.0, 2.0])[codes],
        "fur": fur,
        "born": born.astype("datetime64[D]").astype(str).astype(object),
        "visits": random.integers(9, size=n),
    }
    labels, flipped = flip_labels(PETS[codes], 0.1, random_state=seed)
    return table | {"pet": labels.astype(object)}, flipped
