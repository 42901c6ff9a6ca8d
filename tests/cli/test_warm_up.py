import sys

import numpy as np
import pytest

import errata
from cli.command_line import invoke


def signatures():
    """What Numba has compiled, or loaded, of each kernel of an audit."""
    modules = [sys.modules.get(f"errata._kernels._{name}_numba") for name in ("forest", "trees")]
    modules += [sys.modules.get("errata._kernels._probabilities_numba")]
    return {
        (module.__name__, name): list(kernel.signatures)
        for module in filter(None, modules)
        for name, kernel in vars(module).items()
        if hasattr(kernel, "signatures")
    }


def test_audits_after_it_compile_nothing():
    pytest.importorskip("numba")
    result = invoke("warm-up")
    assert result.output.startswith("What audits run is compiled; it took ")
    before = signatures()
    assert len({module for module, _ in before}) == 3
    random = np.random.default_rng(1)
    X = random.normal(size=(1_200, 6))
    labels = np.digitize(X[:, 0], [-1, 0, 1, 2, 3, 4])
    errata.audit(X, labels, self_check=False, random_state=0)
    proba = random.dirichlet(np.ones(12), size=90_000)
    codes = np.arange(90_000) % 12
    errata.audit(None, codes, pred_proba=proba, self_check=False, random_state=0)
    assert signatures() == before


def test_without_numba_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr("errata.cli._warm_up.find_spec", lambda name: None)
    assert invoke("warm-up").output == "Numba is not installed: there is nothing to compile.\n"
