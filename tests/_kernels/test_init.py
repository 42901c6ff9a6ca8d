from errata._kernels import kernels


def test_the_plain_twin_steps_in_when_numba_is_missing(monkeypatch):
    monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)
    assert kernels("perceptrons").__name__ == "errata._kernels._perceptrons"


def test_the_plain_twin_serves_where_little_is_to_do():
    assert kernels("perceptrons", compiled=False).__name__ == "errata._kernels._perceptrons"
