import numpy as np
import pytest
from numpy.testing import assert_allclose

import errata
from errata.tables import features_of
from errata.tables._columns import as_table
from errata.tables._pictures import get_picture_content
from tables.picture_cases import drawn, image

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

KINDS = ["disc", "stripes"]
CODES = [i % 2 for i in range(40)]


def pictures():
    random = np.random.default_rng(0)
    return [get_picture_content(image.fromarray(drawn(KINDS[code], random))) for code in CODES]


class ClassLabel:
    """As that of Hugging Face."""

    names = KINDS

    def int2str(self, code):
        return self.names[code]


class Dataset:
    """What errata uses of a dataset of Hugging Face."""

    def __init__(self, table, features, arrow_format=False):
        self.table, self.features, self.arrow_format = table, features, arrow_format

    @property
    def column_names(self):
        return self.table.column_names

    def __len__(self):
        return self.table.num_rows

    def with_format(self, name):
        assert name == "arrow"
        return Dataset(self.table, self.features, True)

    def __getitem__(self, rows):
        assert self.arrow_format
        return self.table[rows]


class Streamed:
    features, column_names, with_format = {}, [], None


def stand_in():
    cells = [{"bytes": raw, "path": None} for raw in pictures()]
    table = arrow.table({"image": cells, "label": CODES})
    return Dataset(table, {"image": object(), "label": ClassLabel()})


def real():
    # Not "datasets" itself, which the folder of tests of that name would stand for.
    pytest.importorskip("datasets.arrow_dataset", reason="datasets is not installed")
    import datasets

    features = datasets.Features(
        {"image": datasets.Image(), "label": datasets.ClassLabel(names=KINDS)}
    )
    cells = [{"bytes": raw, "path": None} for raw in pictures()]
    return datasets.Dataset.from_dict({"image": cells, "label": CODES}, features=features)


@pytest.mark.parametrize("made", [stand_in, real])
def test_classes_have_names_and_pictures_are_learnt_from(made):
    dataset = made()
    table = as_table(dataset)
    assert table["label"].to_pylist()[:3] == ["disc", "stripes", "disc"]
    features = features_of(dataset, drop=["label"])
    assert features.columns == ["image"]
    assert_allclose(features.plan.apply(dataset).X, features.X, rtol=0, atol=0)


@pytest.mark.parametrize("made", [stand_in, real])
def test_a_dataset_is_audited(made, few_trees):
    audit = errata.audit(made(), "label", self_check=False, random_state=0)
    assert audit.classes.tolist() == KINDS
    assert audit.examples[0]["image"].startswith("data:image/png")


def test_a_dataset_with_several_labels_a_row_is_audited(few_trees):
    X = np.random.default_rng(0).normal(size=(60, 2))
    tags = [[name for name, one in zip("ab", row > 0, strict=True) if one] for row in X]
    table = arrow.table({"x": X.sum(axis=1), "z": X[:, 0] - X[:, 1], "tags": tags})
    dataset = Dataset(table, dict.fromkeys(table.column_names))
    audit = errata.audit_multilabel(dataset, "tags", self_check=False, random_state=0)
    assert audit.names == ["a", "b"]


def test_rows_without_a_class_have_no_label():
    table = arrow.table({"label": [0, -1, None, 1]})
    found = as_table(Dataset(table, {"label": ClassLabel()}))
    assert found["label"].to_pylist() == ["disc", None, None, "stripes"]


def test_several_datasets_get_a_sentence():
    splits = {"train": stand_in(), "test": stand_in()}
    with pytest.raises(ValueError, match=r"several datasets \(train, test\).* X\['train'\]"):
        errata.audit(splits, "label")


def test_a_streamed_dataset_gets_a_sentence():
    with pytest.raises(ValueError, match="this dataset is streamed; collect it first"):
        as_table(Streamed())
