import numpy as np
import pytest

import errata
from auditing.multilabel_cases import flipped, pets
from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions
from errata.tables import read_table, row_digests, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
NAMES = ["bird", "cat", "dog"]
N = 120


def run(*arguments):
    return invoke("clean", *arguments)


def words(result):
    return " ".join(result.output.split())


def noisy_pets():
    X, Y = pets(N)
    return X, flipped(Y, 0.05, 0.1)[0]


def sets():
    """Labels of each row, in another order than that of their names."""
    return [
        [name for name, one in zip(NAMES[::-1], row[::-1], strict=True) if one]
        for row in noisy_pets()[1]
    ]


def audited(folder, labels, name="pets.csv", from_file=True, about="tags"):
    """A table, and its audit as the command line makes and keeps it."""
    X, _ = noisy_pets()
    table = {f"x{place}": X[:, place] for place in range(3)} | labels
    write_table(folder / name, table)
    whole = read_table(folder / name)
    found = errata.audit_multilabel(
        whole, about if about == "tags" else list(labels), self_check=False, random_state=0
    )
    if from_file:
        found._digests = row_digests(whole)
        found._about["table"] = str(folder / name)
    found.save(folder / "pets.audit")
    return errata.MultilabelAudit.load(folder / "pets.audit")


def indicators(zero="no", one="Yes"):
    _, Y = noisy_pets()
    words = np.array([zero, one], dtype=object)
    return {f"is_{name}": words[Y[:, place]] for place, name in enumerate(NAMES)}


@pytest.mark.parametrize(("action", "sure"), [("relabel", 0.8), ("unlabel", 0.5)])
def test_columns_of_yes_and_no_change_where_labels_are_wrong_and_nowhere_else(
    action, sure, tmp_path
):
    audit = audited(tmp_path, indicators(), about="is_*")
    out = tmp_path / "clean.csv"
    result = run(tmp_path / "pets.audit", "-o", out, "--action", action)
    assert result.exit_code == 0, result.output
    wrong = audit.p_wrong_cells > sure
    assert (wrong.sum(axis=0) > 0).sum() > 1  # several columns change
    changed = np.where(audit.labels == 1, "no", "Yes") if action == "relabel" else ""
    expected = np.where(wrong, changed, np.where(audit.labels == 1, "Yes", "no"))
    before, after = ((tmp_path / f).read_text().splitlines() for f in ("pets.csv", "clean.csv"))
    same = [line.rsplit(",", 3)[0] for line in before]
    assert after[0] == before[0]
    assert after[1:] == [
        ",".join([kept, *row]) for kept, row in zip(same[1:], expected.tolist(), strict=True)
    ]
    assert f"{(audit.p_wrong_cells > 0.5).sum()} labels in" in words(result)
    assert {path.name for path in tmp_path.iterdir()} == {"pets.csv", "pets.audit", "clean.csv"}


def test_a_copy_of_another_format_is_refused_by_its_name(tmp_path):
    audited(tmp_path, indicators(), about="is_*")
    result = run(tmp_path / "pets.audit", "-o", tmp_path / "clean.jsonl", "--action", "relabel")
    assert result.exit_code == 2
    assert "clean.jsonl is of another format than pets.csv" in words(result)
    assert {path.name for path in tmp_path.iterdir()} == {"pets.csv", "pets.audit"}


@pytest.mark.parametrize("between", ["; ", "|", " , "])
def test_text_keeps_order_and_separator(between, tmp_path):
    tags = np.array([between.join(own) for own in sets()], dtype=object)
    audit = audited(tmp_path, {"tags": tags})
    out = tmp_path / "clean.csv"
    result = run(tmp_path / "pets.audit", "-o", out, "--action", "relabel", "--sure", "0.6")
    assert result.exit_code == 0, result.output
    new = audit.clean("relabel", sure=0.6).labels
    assert (new > audit.labels).any()
    assert (new < audit.labels).any()
    expected = [
        [n for n in own if n in wanted] + [n for n in wanted if n not in own]
        for own, wanted in zip(
            sets(), ([n for n, o in zip(NAMES, r, strict=True) if o] for r in new), strict=True
        )
    ]
    assert read_table(out)["tags"].to_pylist() == [between.join(own) for own in expected]
    added, taken = (new > audit.labels).sum(), (new < audit.labels).sum()
    assert f"{added} added, {taken} taken away" in words(result)


@pytest.mark.parametrize("name", ["pets.jsonl", "pets.parquet"])
def test_lists_stay_lists(name, tmp_path):
    audit = audited(tmp_path, {"tags": sets()}, name)
    out = tmp_path / f"clean.{name.partition('.')[2]}"
    result = run(tmp_path / "pets.audit", "-o", out, "--action", "relabel")
    assert result.exit_code == 0, result.output
    before, after = read_table(tmp_path / name), read_table(out)
    assert after["tags"].type == before["tags"].type
    assert after.drop_columns(["tags"]).equals(before.drop_columns(["tags"]))
    new = audit.clean("relabel").labels
    found = [[int(label in own) for label in NAMES] for own in after["tags"].to_pylist()]
    np.testing.assert_array_equal(found, new)
    assert (new != audit.labels).any()


def test_the_class_says_which_rows_go_and_a_sorted_table_is_matched(tmp_path):
    tags = np.array([";".join(own) for own in sets()], dtype=object)
    audit = audited(tmp_path, {"tags": tags})
    head, *rows = (tmp_path / "pets.csv").read_text().splitlines(keepends=True)
    table, out = tmp_path / "sorted.csv", tmp_path / "clean.csv"
    table.write_text(head + "".join(sorted(rows)))
    result = run(tmp_path / "pets.audit", "-o", out, "--table", table)
    assert result.exit_code == 0, result.output
    assert "were in another order" in words(result)
    kept = audit.clean("drop").kept
    assert not kept.all()
    stay = {line for line, stays in zip(rows, kept, strict=True) if stays}
    assert out.read_text() == head + "".join(line for line in sorted(rows) if line in stay)
    assert f"{(~kept).sum()} rows dropped" in words(result)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    audited(folder, {"tags": np.array([";".join(own) for own in sets()], dtype=object)})
    return folder


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--action", "unlabel"], "needs a column for each label; the lists in 'tags' cannot say"),
        (["--action", "replace"], "--action replace is for numbers"),
        (["--unsure", "drop"], "--unsure is for audits of classes"),
        (["--decisions", "only"], "nobody has decided anything yet"),
        (["--table", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_has_no_meaning_is_refused(texts, options, sentence, tmp_path):
    out = tmp_path / "clean.csv"
    result = run(texts / "pets.audit", "-o", out, *options)
    assert result.exit_code == 2
    assert sentence in words(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [(",tags", ",words", "has no column 'tags'"), ("bird\n", "bird;owl\n", "not as audited")],
)
def test_another_table_is_refused(texts, old, new, sentence, tmp_path):
    table, out = tmp_path / "pets.csv", tmp_path / "clean.csv"
    table.write_text((texts / "pets.csv").read_text().replace(old, new, 1))
    result = run(texts / "pets.audit", "-o", out, "--table", table)
    assert result.exit_code == 2
    assert sentence in words(result)
    assert not out.exists()


def test_an_audit_made_in_python_is_cleaned_by_place(tmp_path):
    tags = np.array([";".join(own) for own in sets()], dtype=object)
    audited(tmp_path, {"tags": tags}, from_file=False)
    out = tmp_path / "clean.csv"
    asked = (tmp_path / "pets.audit", "-o", out, "--force", "--table")
    result = run(*asked, tmp_path / "pets.csv")
    assert result.exit_code == 0, result.output
    assert "it was made in Python" in words(result)
    for change, sentence in (("owl", "other labels than were audited"), ("dog", "not as audited")):
        other = np.array([change, *tags[1:]], dtype=object)
        write_table(tmp_path / "other.csv", {"tags": other})
        result = run(*asked, tmp_path / "other.csv")
        assert result.exit_code == 2
        assert sentence in words(result)


def test_without_skill_nothing_changes_and_it_is_said(texts, tmp_path):
    audit = errata.MultilabelAudit.load(texts / "pets.audit")
    for label in audit.per_label:
        label["has_skill"] = False
    audit.has_skill = False
    audit.save(tmp_path / "pets.audit")
    out = tmp_path / "clean.csv"
    result = run(tmp_path / "pets.audit", "-o", out, "--action", "relabel")
    assert "the columns tell none of the labels" in words(result)
    assert out.read_bytes() == (texts / "pets.csv").read_bytes()


def test_labels_that_are_not_told_stay(texts):
    audit = errata.MultilabelAudit.load(texts / "pets.audit")
    wrong = (audit.p_wrong_cells > 0.8).any(axis=0)
    blind = int(wrong.argmax())
    audit.per_label[blind]["has_skill"] = False
    new = audit.clean("relabel").labels
    np.testing.assert_array_equal(new[:, blind], audit.labels[:, blind])
    assert (new != audit.labels).any()


def test_what_people_decided_comes_first(tmp_path):
    audit = audited(tmp_path, {"tags": ["; ".join(own) for own in sets()]})
    first, second = np.argsort(-audit.suspicion)[:2].tolist()
    keys = audit._row_keys()
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said("other", first, row_key=keys[first], class_text='["bird", "cat"]'))
        decisions.record(said("unusable", second, row_key=keys[second]))
    result = run(tmp_path / "pets.audit", "-o", tmp_path / "clean.csv", "--decisions", "only")
    assert result.exit_code == 0, result.output
    assert "People decided 2 rows: 1 relabelled, 1 dropped." in words(result)
    rows = read_table(tmp_path / "clean.csv")["tags"].to_pylist()
    assert set(rows[first - (second < first)].split("; ")) == {"bird", "cat"}
    assert len(rows) == N - 1
