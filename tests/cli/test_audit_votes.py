import csv

import numpy as np
import pytest

import errata
from auditing.vote_cases import crowd, measured
from cli.command_line import invoke
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

COLUMNS = ("--item", "photo", "--worker", "who", "--label", "answer")


def run(*arguments):
    return invoke("audit", *arguments)


def lines(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Votes, and a table of the items."""
    made = tmp_path_factory.mktemp("votes")
    votes, truth = crowd()
    columns = dict(zip(("photo", "who", "answer"), votes.values(), strict=True))
    write_table(made / "votes.csv", columns)
    a, b = measured(truth).T
    place = np.arange(120) // 2
    shift = np.where(np.arange(120) % 3, "day", "night")
    photos = {"photo": np.arange(120), "a": a, "b": b, "place": place, "shift": shift}
    write_table(made / "photos.csv", photos)
    return made


@pytest.fixture(scope="module")
def audited(folder):
    done = run(folder / "votes.csv", *COLUMNS)
    assert done.exit_code == 0, done.output
    return done


def test_the_answer_speaks_of_majority_labels_and_annotators(audited):
    assert audited.output.startswith("Of 120 majority labels about ")
    assert "after weighing the 8 annotators" in audited.output
    assert "The 8 annotators, " in audited.output
    assert "Items to ask about next:" in audited.output
    assert "errata clean" in audited.output


def test_the_folder_holds_lists_of_items_and_of_annotators(folder, audited):
    place = folder / "votes.audit"
    ranked, workers, ask = (lines(place / f"{name}.csv") for name in ("ranked", "workers", "ask"))
    assert list(ranked[0])[:6] == ["row", "item", "label", "suggested", "p_wrong", "flagged"]
    assert len(ranked) == len(ask) == 120
    assert [line["worker"] for line in workers][-1] in ("gus", "hal")
    assert max(len(line["accuracy"]) for line in workers) <= 6
    assert {line["guessing"] for line in workers} == {"0", "1"}
    assert isinstance(errata.auditing.load_audit(place), errata.VoteAudit)


def test_the_report_stays_small(folder, audited):
    assert (folder / "votes.audit" / "report.html").stat().st_size < 300_000


def test_a_table_of_the_items_is_matched_by_its_column(folder):
    out = folder / "with.audit"
    features = ("--features", folder / "photos.csv", "--group", "place", "--by", "shift")
    done = run(folder / "votes.csv", *COLUMNS, *features, "--out", out)
    assert done.exit_code == 0, done.output
    found = errata.VoteAudit.load(out)
    assert found._about["features"] == 2
    assert found.evidence["feature_weight"] is not None
    assert {line["value"] for line in found.summary()["by"]["values"]} == {"day", "night"}


def called_by_files(table, target):
    """The table with items that are called by the files of their pictures."""
    head, *rows = table.read_text().splitlines()
    target.write_text("\n".join([head, *(row.replace(",", ".png,", 1) for row in rows)]))
    return target


def test_the_column_of_items_may_have_another_name_and_hold_names_of_files(folder):
    votes = called_by_files(folder / "votes.csv", folder / "files.csv")
    renamed = called_by_files(folder / "photos.csv", folder / "renamed.csv")
    renamed.write_text(renamed.read_text().replace("photo", "file", 1))
    out = folder / "renamed.audit"
    both = ("--features", renamed, "--id", "file", "--drop", "place", "--drop", "shift")
    done = run(votes, *COLUMNS, *both, "--out", out)
    assert done.exit_code == 0, done.output
    found = errata.VoteAudit.load(out)
    assert (found._about["id"], found.items[0]) == ("file", "0.png")
    missing = run(votes, *COLUMNS, "--features", renamed, "--out", folder / "x")
    assert missing.exit_code == 2
    assert "that says which item each row is; name it with --id" in missing.output


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--item", "photo", "--label", "answer"), "--item needs --worker beside it"),
        (("--worker", "who", "--label", "answer"), "--worker needs --item beside it"),
        ((*COLUMNS[:4], "--label", "answr"), "no column 'answr'"),
        ((*COLUMNS[:4], "--label", "who"), "three different columns"),
        ((*COLUMNS, "--drop", "a"), "--drop is for a table of the items; say which with"),
        ((*COLUMNS, "--by", "photo"), "--by is for a table of the items"),
        ((*COLUMNS, "--id", "photo"), "--id is for a table of the items"),
        ((*COLUMNS, "--known", "a"), "--known does not go with --item"),
        (("--label", "answer", "--features", "x.csv"), "it is for an audit of votes"),
        ((*COLUMNS, "--features", "none.csv"), "none.csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(folder, options, sentence):
    done = run(folder / "votes.csv", *options, "--out", folder / "never.audit")
    assert done.exit_code == 2, done.output
    assert sentence in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert not (folder / "never.audit").exists()


def test_too_many_wrong_labels_fail_a_pipeline(folder):
    done = run(folder / "votes.csv", *COLUMNS, "-o", folder / "f.audit", "--fail-above", "0.01")
    assert done.exit_code == 1
    assert "Too many majority labels are wrong" in done.output


def test_votes_that_tell_nothing_say_what_may_help(tmp_path):
    random = np.random.default_rng(0)
    columns = {
        "photo": np.repeat(np.arange(60), 3),
        "who": np.tile(["a", "b", "c"], 60),
        "answer": random.integers(2, size=180),
    }
    write_table(tmp_path / "votes.csv", columns)
    done = run(tmp_path / "votes.csv", *COLUMNS)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("These votes do not tell who is right")
    assert "What may help: more votes on the same items" in done.output


def test_empty_answers_are_counted_and_no_class(folder, tmp_path):
    head, *rows = (folder / "votes.csv").read_text().splitlines()
    emptied = [row.rsplit(",", 1)[0] + "," for row in rows[:5]]  # all votes on photo 0
    spaced = [row.rsplit(",", 1)[0] + ',"  "' for row in rows[5:7]]
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join([head, *emptied, *spaced, *rows[7:]]))
    done = run(votes, *COLUMNS)
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.split())
    assert told.startswith("Of 119 majority labels")
    assert "7 votes have no label and were left out." in told
    assert "1 item has no vote (0) and was left out." in told
    assert errata.VoteAudit.load(tmp_path / "votes.audit").classes.tolist() == [
        "bird",
        "cat",
        "dog",
    ]


def test_empty_answers_of_json_are_none_either(folder, tmp_path):
    votes = crowd()[0]
    answer = np.where(np.arange(600) < 5, "", votes["label"])
    columns = dict(zip(("photo", "who", "answer"), (*votes.values(),), strict=True))
    write_table(tmp_path / "votes.jsonl", columns | {"answer": answer})
    done = run(tmp_path / "votes.jsonl", *COLUMNS)
    assert done.exit_code == 0, done.output
    assert "5 votes have no label and were left out." in " ".join(done.output.split())


def test_a_file_without_any_answer_is_refused(folder, tmp_path):
    head, *rows = (folder / "votes.csv").read_text().splitlines()
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join([head, *(row.rsplit(",", 1)[0] + "," for row in rows)]))
    done = run(votes, *COLUMNS)
    assert done.exit_code == 2
    assert "there are no votes" in done.output
    assert not (tmp_path / "votes.audit").exists()
