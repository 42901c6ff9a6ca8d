import time

import pytest
from click.testing import CliRunner

from errata.cli.__main__ import main
from errata.cli._options import open_engine


def test_nothing_asked_for_is_this_process():
    with open_engine(None, None) as engine:
        assert engine is None


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1", "ftp://127.0.0.1:8786"])
@pytest.mark.parametrize("command", ["audit", "compare"])
def test_an_address_where_nobody_answers_is_told_before_the_work(command, address, tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed")
    (tmp_path / "pets.csv").write_text("weight,pet\n" + "4,cat\n5,dog\n" * 30)
    options = ["--label", "pet", "--engine", "dask", "--scheduler", address]
    start = time.monotonic()
    result = CliRunner().invoke(main, [command, str(tmp_path / "pets.csv"), *options])
    assert result.exit_code == 2, result.output
    assert f"no Dask scheduler answers at {address}; give its address" in result.stderr
    assert time.monotonic() - start < 60
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


def test_a_scheduler_alone_would_have_no_effect():
    with (
        pytest.raises(ValueError, match=r"--scheduler .* needs --engine dask"),
        open_engine(None, "tcp://10.0.0.1:8786"),
    ):
        pass
