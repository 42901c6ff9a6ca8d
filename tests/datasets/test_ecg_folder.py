import gzip
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from errata.datasets import fetch_qtdb, load_ludb, load_qtdb
from errata.exceptions import DatasetNotFoundError

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

BEAT = ((0, "("), (4, "p"), (8, ")"), (10, "("), (13, "N"), (16, ")"), (20, "t"), (30, ")"))

BEATS = (100, 150, 200, 400, 450)  # between the third and the fourth something was skipped


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    rows = [f"sel1,{s},{2 * s},{-s}" for s in range(100, 232)]
    rows += [f"sel1,{s},{2 * s},{-s}" for s in range(400, 482)]
    rows += [f"sel2,{s},0,0" for s in range(10)]
    with gzip.open(tmp_path / "ecg_qtdb.csv.gz", "wt") as stream:
        stream.write("\n".join(["record,sample,ch0,ch1", *rows]) + "\n")
    marks = [f"sel1,q1c,{b + s},{symbol}" for b in BEATS for s, symbol in BEAT]
    marks += [f"sel1,q2c,{150 + s},{symbol}" for s, symbol in BEAT[3:]]
    (tmp_path / "ecg_qtdb_annotations.csv").write_text(
        "\n".join(["record,annotator,sample,symbol", *marks]) + "\n"
    )
    (tmp_path / "ecg_qtdb_records.csv").write_text(
        "record,group,gain0,gain1\nsel1,sinus,200.0,100.0\nsel2,sinus,200.0,100.0\n"
    )
    (tmp_path / "ecg_ludb.csv").write_text(
        "record,sample,ii,label\n" + "".join(f"7,{s},0.5,QRS\n" for s in range(640, 645))
    )
    return tmp_path


def test_a_record_comes_in_millivolts_with_labels_and_lengths(folder):
    ecg = load_qtdb("sel1", folder=folder)
    assert ecg.lengths == [131, 81]
    np.testing.assert_array_equal(ecg.samples, [*range(100, 231), *range(400, 481)])
    np.testing.assert_allclose(ecg.signal, ecg.samples / 100, rtol=1e-12, atol=0)
    assert ecg.labels[:11].tolist() == ["P"] * 10 + ["QRS"]
    assert (ecg.fs, ecg.group, ecg.annotator) == (250.0, "sinus", "q1c")
    np.testing.assert_allclose(
        load_qtdb("sel1", lead=1, folder=folder).signal, -ecg.samples / 100, rtol=1e-12, atol=0
    )


def test_a_second_annotator_labels_what_he_looked_at(folder, monkeypatch):
    monkeypatch.setenv("ERRATA_DATA", str(folder))
    ecg = load_qtdb("sel1", annotator="q2c")
    np.testing.assert_array_equal(ecg.samples, range(160, 181))
    assert set(ecg.labels) == {"QRS", "T"}


def test_ludb(folder):
    ecg = load_ludb(7, folder=folder)
    assert (ecg.signal.tolist(), ecg.labels.tolist()) == ([0.5] * 5, ["QRS"] * 5)
    assert (ecg.samples[0], ecg.lengths, ecg.fs) == (640, [5], 500.0)


def test_what_is_not_there_gets_a_sentence(folder, tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"no record 'sel9' .* there are sel1, sel2"):
        load_qtdb("sel9", folder=folder)
    with pytest.raises(DatasetNotFoundError, match="annotator 'q1c' marked no beat of sel2"):
        load_qtdb("sel2", folder=folder)
    with pytest.raises(DatasetNotFoundError, match="no record 8 of LUDB"):
        load_ludb(8, folder=folder)
    with pytest.raises(ValueError, match="lead=2 must be a whole number between 0 and 1"):
        load_qtdb("sel1", lead=2, folder=folder)
    with pytest.raises(DatasetNotFoundError, match=r"no data folder is set.*make_ecg"):
        load_qtdb("sel1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetNotFoundError, match=r"ecg_ludb.csv is not in .*empty"):
        load_ludb(1, folder=tmp_path / "empty")


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


def marks(text, step=10):
    """Marks every ``step`` samples, a space where there is none."""
    placed = [(step * i, symbol) for i, symbol in enumerate(text) if symbol != " "]
    samples, symbols = zip(*placed, strict=True)
    return np.array(samples), np.array(symbols)


def labelled(samples, symbols):
    """A record with these marks as it is fetched."""
    marks = SimpleNamespace(sample=samples, symbol=symbols)
    record = SimpleNamespace(fs=250, p_signal=np.zeros((999, 1)))
    wfdb = ModuleType("wfdb")
    wfdb.rdann, wfdb.rdrecord = lambda *_, **where: marks, lambda *_, **where: record
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "wfdb", wfdb)
        return fetch_qtdb("sel1")


def runs(text):
    ecg = labelled(*marks(text))
    begins = np.flatnonzero(np.r_[True, ecg.labels[1:] != ecg.labels[:-1]])
    return [(int(ecg.samples[b]), str(ecg.labels[b])) for b in begins]


@pytest.mark.parametrize(
    ("beat", "where"),
    [
        ("(p) (N) (t)", [(0, "P"), (40, "QRS"), (61, "T")]),
        ("(p) (N)  t)", [(0, "P"), (40, "QRS"), (61, "T")]),  # no T onset
        ("(p) (N) t)u)", [(0, "P"), (40, "QRS"), (61, "T")]),  # a U wave ends nothing
        ("    (N) (t)", [(40, "QRS"), (61, "T")]),
        ("(p) (V) (t)", [(0, "P"), (40, "QRS"), (61, "T")]),  # any symbol of a beat
    ],
)
def test_patterns_of_a_beat(beat, where):
    assert runs(beat) == where


def test_the_baseline_lies_between_t_and_the_next_p():
    found = runs("(p)(N) t)   (p)(N) t)")
    assert [wave for _, wave in found] == ["P", "QRS", "T", "B3", "P", "QRS", "T"]
    assert found[3] == (81, "B3")
    assert found[4] == (120, "P")


def test_the_end_of_a_wave_belongs_to_it():
    ecg = labelled(*marks("(p)(N) t)"))
    at = dict(zip(ecg.samples.tolist(), ecg.labels.tolist(), strict=True))
    assert (at[29], at[30], at[50], at[51], at[80]) == ("P", "QRS", "QRS", "T", "T")
    assert ecg.samples.max() == 80


UNFINISHED = ["(p)(N  t)", "(p)N) t)", "(p)(N) t", "(p)(N)", "(p)", "(N)  (N (t)"]


@pytest.mark.parametrize("beat", UNFINISHED)
def test_a_beat_without_both_ends_of_qrs_and_the_end_of_t_does_not_count(beat):
    whole = "(p)(N) t)"
    assert runs(whole + " " * 5 + beat) == runs(whole)
    assert labelled(*marks(beat)).lengths == []


def test_a_p_before_a_complex_without_t_is_not_that_of_the_next():
    assert runs("(p)(N)  (N) t)") == [(80, "QRS"), (101, "T")]


def test_a_beat_that_was_not_annotated_cuts_the_sequence():
    beat = "(p)(N) t)  "  # 110 samples
    assert len(labelled(*marks(beat * 4)).lengths) == 1
    skipped = labelled(*marks(beat * 3 + " " * len(beat) + beat * 2))
    assert len(skipped.lengths) == 2
    assert sum(skipped.lengths) == len(skipped.samples) == len(skipped.labels)


def test_a_p_that_begins_before_t_ends_is_p():
    order = [(0, "("), (5, "N"), (10, ")"), (20, "t"), (30, ")"), (28, "("), (33, "p"), (36, ")"),
             (40, "("), (45, "N"), (50, ")"), (60, "t"), (70, ")")]  # fmt: skip
    samples, symbols = (np.array(column) for column in zip(*order, strict=True))
    labels = labelled(samples, symbols).labels
    assert labels[27] == "T"
    assert labels[28] == "P"
