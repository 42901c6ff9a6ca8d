import pytest

from errata.cli._cluster import chosen_engine


def test_nothing_asked_for_is_this_process():
    with chosen_engine(None, None) as engine:
        assert engine is None


def test_an_address_is_passed_on():
    with chosen_engine("dask", "tcp://10.0.0.1:8786") as engine:
        assert engine == "tcp://10.0.0.1:8786"


def test_a_scheduler_alone_would_have_no_effect():
    with (
        pytest.raises(ValueError, match=r"--scheduler .* needs --engine dask"),
        chosen_engine(None, "tcp://10.0.0.1:8786"),
    ):
        pass
