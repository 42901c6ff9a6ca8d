"""The tasks of cleanlab's tutorials run with either library behind the same calls."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "detection.py"
LIBRARIES = ["cleanlab", "errata"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("task", ["pictures", "table", "annotators", "several_labels", "numbers"])
def test_errors_of_a_tutorial_are_found(task, library, monkeypatch):
    pytest.importorskip("cleanlab", reason="cleanlab is not installed")
    monkeypatch.syspath_prepend(SCRIPT.parent)
    script = runpy.run_path(str(SCRIPT))
    wrong, flagged, suspicion = script[task](script["LIBRARIES"][library], 0)
    assert np.shape(flagged) == np.shape(suspicion) == wrong.shape
    assert average_precision_score(wrong, suspicion) > 0.7
