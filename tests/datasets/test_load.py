import gzip

import numpy as np
import pytest
from sklearn.utils import Bunch

from errata.datasets import list_datasets, load_dataset
from errata.exceptions import DatasetNotFoundError


@pytest.fixture(autouse=True)
def no_data_folder_from_outside(request, monkeypatch):
    if "data_folder" not in request.fixturenames:
        monkeypatch.delenv("ERRATA_DATA", raising=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pima.csv").write_text("a,b,label\n1,2,0\n3,,1\n5,6,0\n")
    (tmp_path / "mine.csv").write_text("size,colour,label\n1,red,yes\n2,,no\n")
    with gzip.open(tmp_path / "reg_mine.csv.gz", "wt") as stream:
        stream.write("a,target\n1,0.5\n2,1.5\n")
    return tmp_path


@pytest.mark.parametrize(("name", "first"), [("iris", "setosa"), ("wdbc", "malignant")])
def test_bundled_sets_carry_class_names(name, first):
    bunch = load_dataset(name)
    assert bunch.source == "scikit-learn"
    assert bunch.target[0] == first
    assert len(bunch.feature_names) == bunch.data.shape[1]


def test_generated_sets_repeat_and_change_with_the_seed():
    X, y = load_dataset("make_moons", return_X_y=True)
    np.testing.assert_array_equal(load_dataset("make_moons").data, X)
    assert not np.array_equal(load_dataset("make_moons", random_state=1).data, X)
    assert set(y) == {0, 1}


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_a_folder_is_read(folder, monkeypatch, how):
    if how == "environment":
        monkeypatch.setenv("ERRATA_DATA", str(folder))
    pima = load_dataset("pima", folder=folder if how == "argument" else None)
    np.testing.assert_array_equal(pima.data, [[1, 2], [3, np.nan], [5, 6]])
    assert pima.target.tolist() == [0, 1, 0]
    assert pima.feature_names == ["a", "b"]


def test_targets_of_regression_sets_are_numbers(folder):
    _, y = load_dataset("reg_mine", folder=folder, return_X_y=True)
    assert y.tolist() == [0.5, 1.5]


def test_text_features_come_as_objects_or_in_a_frame(folder):
    X = load_dataset("mine", folder=folder).data
    assert X.tolist() == [[1.0, "red"], [2.0, None]]
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = load_dataset("mine", folder=folder, as_frame=True).data
    assert frame["size"].dtype == float
    assert frame["colour"].isna().tolist() == [False, True]
    iris = load_dataset("iris", as_frame=True).data
    assert iris.columns[0] == "sepal length (cm)"


def test_a_missing_set_says_how_to_get_it(folder):
    with pytest.raises(DatasetNotFoundError, match=r"put ctg.csv .* label\) into a folder"):
        load_dataset("ctg")
    with pytest.raises(DatasetNotFoundError, match="number 40 from OpenML with download=True"):
        load_dataset("sonar", folder=folder)
    with pytest.raises(DatasetNotFoundError, match="there is no data set 'irsi'; known are"):
        load_dataset("irsi")


def test_wrong_folders_and_files_get_a_sentence(folder):
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load_dataset("pima", folder=folder / "pima.csv")
    (folder / "odd.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="must be called label or target; it is called 'b'"):
        load_dataset("odd", folder=folder)
    (folder / "reg_odd.csv").write_text("a,target\n1,much\n")
    with pytest.raises(ValueError, match="holds something that is not a number"):
        load_dataset("reg_odd", folder=folder)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a,label\n1,x\n2,\n", "1 rows of .* have no label .the first is row 1"),
        ("a,target\n1,nan\n", "1 rows of .* have no target"),
        ("label\nx\ny\n", "has no column besides 'label'"),
    ],
)
def test_files_without_labels_or_features_get_a_sentence(folder, content, sentence):
    (folder / "odd.csv").write_text(content)
    with pytest.raises(ValueError, match=sentence):
        load_dataset("odd", folder=folder)


def test_labels_that_only_look_like_one_number_stay_apart(folder):
    (folder / "codes.csv").write_text("a,label\n1,01\n2,1\n")
    assert load_dataset("codes", folder=folder).target.tolist() == ["01", "1"]


def test_labels_called_inf_or_too_long_for_an_integer_stay_text(folder):
    (folder / "codes.csv").write_text("a,label\n1,inf\n2,1e300\n")
    assert load_dataset("codes", folder=folder).target.tolist() == ["inf", "1e300"]


def test_nothing_is_fetched_unless_allowed(monkeypatch):
    def fetch(**_):
        raise AssertionError("the network was used")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(DatasetNotFoundError, match="no data folder is set"):
        load_dataset("sonar")


@pytest.mark.parametrize("shape", [(208, 60), (100, 60)])
def test_a_download_is_checked_against_the_known_size(monkeypatch, shape):
    asked = {}

    def fetch(**how):
        asked.update(how)
        return Bunch(data=np.zeros(shape), target=np.arange(shape[0]) % 2, feature_names=["f"])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    if shape == (208, 60):
        assert load_dataset("sonar", download=True).source == "openml:40"
    else:
        with pytest.raises(ValueError, match="has 100 rows and 60 features, but sonar has 208"):
            load_dataset("sonar", download=True)
    assert asked["data_id"] == 40


def test_the_list_shows_sizes_and_where_sets_can_come_from(folder):
    cards = {card.name: card for card in list_datasets(folder)}
    assert cards["iris"].sources == ("scikit-learn", "openml")
    assert cards["twonorm"].sources == ("generated",)
    assert cards["pima"].sources == ("folder", "openml")
    assert cards["ctg"].sources == ()
    assert cards["mine"].rows is None
    assert cards["reg_mine"].task == "regression"
    assert (cards["pima"].rows, cards["pima"].features, cards["pima"].classes) == (768, 8, 2)


def test_sizes_in_the_catalogue_are_those_of_the_sets_we_can_load():
    for card in list_datasets():
        if card.sources and card.sources[0] in ("scikit-learn", "generated"):
            X, y = load_dataset(card.name, return_X_y=True)
            assert X.shape == (card.rows, card.features), card.name
            assert card.task == "regression" or len(set(y)) == card.classes, card.name


def test_every_set_of_the_papers_loads_from_the_data_folder(data_folder):
    for card in list_datasets(data_folder):
        if card.rows is None:
            continue
        assert card.sources[0] != "openml", card.name
        X, y = load_dataset(card.name, folder=data_folder, return_X_y=True)
        assert X.shape == (card.rows, card.features), card.name
        assert X.dtype == float, card.name
        if card.task == "classification":
            assert len(set(y)) == card.classes, card.name
