import subprocess
import sys

from errata._kernels import kernels


def test_the_plain_twin_steps_in_when_numba_is_missing(monkeypatch):
    monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)
    assert kernels("perceptron").__name__ == "errata._kernels._perceptron"


def test_the_plain_twin_serves_where_little_is_to_do():
    assert kernels("perceptron", compiled=False).__name__ == "errata._kernels._perceptron"


def test_numba_waits_for_the_first_fit():
    code = "import sys, errata.ensemble; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
