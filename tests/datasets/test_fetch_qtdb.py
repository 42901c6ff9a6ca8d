import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from errata.datasets import fetch_qtdb
from errata.exceptions import DatasetNotFoundError, MissingExtraError

MARKS = [(100, "("), (104, "p"), (108, ")"), (110, "("), (113, "N"), (116, ")"), (120, "t"),
         (130, ")")]  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """A stand-in for wfdb that has one record at PhysioNet, and notes what it is asked for."""
    calls = []
    samples, symbols = (list(column) for column in zip(*MARKS, strict=True))

    def rdann(name, extension, **where):
        calls.append((name, extension, where))
        if name != "sel1":
            raise OSError("404")
        return SimpleNamespace(sample=np.array(samples), symbol=symbols)

    def rdrecord(name, channels, **where):
        return SimpleNamespace(fs=250, p_signal=np.arange(200.0)[:, None] + channels[0])

    module = ModuleType("wfdb")
    module.rdann, module.rdrecord = rdann, rdrecord
    monkeypatch.setitem(sys.modules, "wfdb", module)
    return calls


def test_a_record_is_read_from_physionet(asked):
    ecg = fetch_qtdb("sel1", lead=1)
    assert asked == [("sel1", "q1c", {"pn_dir": "qtdb"})]
    np.testing.assert_array_equal(ecg.samples, range(100, 131))
    np.testing.assert_array_equal(ecg.signal, np.arange(101.0, 132.0))
    assert (ecg.fs, ecg.lengths, ecg.labels[0]) == (250.0, [31], "P")


def test_a_folder_is_never_left_for_the_network(asked, tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"could not be read in .*put sel1.hea"):
        fetch_qtdb("sel1", data_home=tmp_path)
    assert asked == [(str(tmp_path / "sel1"), "q1c", {})]


def test_without_network_a_sentence_says_what_to_do(asked):
    with pytest.raises(DatasetNotFoundError, match=r"physionet.org: put .*data_home=.*make_ecg"):
        fetch_qtdb("sel9")


def test_without_wfdb_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(MissingExtraError, match="this needs wfdb"):
        fetch_qtdb("sel1")


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, while wfdb writes the file
def test_files_of_wfdb_are_read(tmp_path):
    wfdb = pytest.importorskip("wfdb", reason="wfdb is not installed")
    samples, symbols = (list(column) for column in zip(*MARKS, strict=True))
    signal = np.linspace(-1, 1, 300)[:, None]
    wfdb.wrsamp("sel1", fs=250, units=["mV"], sig_name=["II"], p_signal=signal, fmt=["16"],
                write_dir=str(tmp_path))  # fmt: skip
    wfdb.wrann("sel1", "atr", np.array(samples), symbols, write_dir=str(tmp_path))
    (tmp_path / "sel1.atr").rename(tmp_path / "sel1.q1c")  # wfdb writes no digits
    ecg = fetch_qtdb("sel1", data_home=tmp_path)
    np.testing.assert_allclose(ecg.signal, signal[100:131, 0], rtol=0, atol=1e-3)
    assert ecg.labels.tolist() == ["P"] * 10 + ["QRS"] * 7 + ["T"] * 14
