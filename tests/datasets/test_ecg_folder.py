import gzip

import numpy as np
import pytest

from errata.datasets import load_ludb, load_qtdb
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
