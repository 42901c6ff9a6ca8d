"""To Label Studio and back."""

import copy
import json
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from decision_cases import said
from errata.review import Audited, Decisions, export_label_studio, import_label_studio
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PETS = {"weight": [4.1, 30, float("nan")], "pet": ['c<"a>t', "dog", ""]}
AUDITED = Audited(
    fingerprint="5f0c5f0c5f0c",
    table=None,
    columns=["pet"],
    keys=["row.0", "row.1", "row.2"],
    labels=PETS["pet"],
    suggested=["dog", "dog", "dog"],
    p_wrong=np.array([0.93, 0.2, 0.99999]),
    p_suggested=np.array([0.9, 0.8, 0.95]),
    flagged=np.array([True, False, True]),
    suspicion=np.array([0.93, 0.2, 0.99999]),
)


@pytest.fixture
def here(tmp_path):
    write_table(tmp_path / "pets.parquet", PETS)
    with Decisions(tmp_path / "pets.decisions") as decisions:
        yield SimpleNamespace(path=tmp_path / "tasks.json", decisions=decisions, folder=tmp_path)


def exported(here):
    source = here.folder / "pets.parquet"
    number = export_label_studio(AUDITED, here.decisions.verdicts(), source, here.path)
    tasks = json.loads(here.path.read_text())
    assert number == len(tasks)
    return tasks


def imported(here, tasks):
    back = here.folder / "annotated.json"
    back.write_text(json.dumps(tasks))
    return list(import_label_studio(here.decisions, AUDITED, back).values())


def annotated(task, choice, **given):
    """A task as Label Studio gives it back, when somebody has chosen."""
    done = copy.deepcopy(task)
    annotation = {
        "completed_by": {"id": 3, "email": "ann@example.org"},
        "lead_time": 4.25,
        "was_cancelled": False,
        "updated_at": "2026-03-01T10:00:00.5Z",
        "result": [
            {
                "id": "a8Xz",
                "from_name": "errata_class",
                "to_name": "errata_text",
                "type": "choices",
                "value": {"choices": [choice]},
            }
        ],
    }
    done["annotations"] = [annotation | given]
    return done


def test_tasks_hold_cells_label_and_suggestion(here):
    first, last = exported(here)
    assert first["data"] == {
        "weight": 4.1,
        "pet": 'c<"a>t',
        "errata_text": "weight: 4.1",
        "errata_row": 0,
        "errata_key": "row.0",
        "errata_label": '"c<\\"a>t"',
        "errata_suggested": '"dog"',
        "errata_p_wrong": 0.93,
    }
    (annotation,), (prediction,) = first["annotations"], first["predictions"]
    assert annotation["result"][0]["value"] == {"choices": ['c<"a>t']}
    assert prediction["result"][0]["value"] == {"choices": ["dog"]}
    assert prediction["result"][0]["type"] == "choices"
    assert (prediction["model_version"], prediction["score"]) == ("errata 5f0c5f0c", 0.9)
    assert last["data"]["weight"] is None
    assert last["data"]["errata_p_wrong"] == 0.9999
    assert last["annotations"][0]["result"][0]["value"] == {"choices": ['""']}


def test_the_config_names_what_tasks_and_results_name(here):
    exported(here)
    view = ElementTree.parse(here.path.with_suffix(".xml")).getroot()
    text, choices = view
    assert (text.get("name"), text.get("value")) == ("errata_text", "$errata_text")
    assert (choices.get("name"), choices.get("toName")) == ("errata_class", "errata_text")
    assert [each.get("value") for each in choices] == ['""', 'c<"a>t', "dog"]


def test_decided_rows_go_along_with_what_was_decided(here):
    here.decisions.record(said("other", row=1, class_text='"cat"'))
    tasks = exported(here)
    assert [task["data"]["errata_row"] for task in tasks] == [0, 1, 2]
    assert tasks[1]["annotations"][0]["result"][0]["value"] == {"choices": ["cat"]}


def test_what_nobody_touched_is_no_decision(here):
    assert imported(here, exported(here)) == [0, 0, 2, 0, 0]
    assert list(here.decisions.events()) == []


def test_choices_become_decisions(here):
    first, last = exported(here)
    back = [
        annotated(first, "dog"),
        annotated(first, 'c<"a>t', completed_by=7, updated_at="2026-03-01T10:00:01Z"),
        annotated(last, '""', completed_by=None),
        annotated(last, "dog", was_cancelled=True, completed_by=7),
    ]
    assert imported(here, back) == [4, 0, 0, 0, 0]
    events = list(here.decisions.events())
    assert [event.kind for event in events] == ["suggestion", "label", "label", "skip"]
    assert [event.reviewer for event in events] == [
        "ann@example.org",
        "annotator 7",
        "annotator",
        "annotator 7",
    ]
    assert {event.seconds for event in events} == {4.25}
    assert events[0].at == "2026-03-01T10:00:00.500000Z"
    assert events[0].p_wrong == 0.93
    assert here.decisions.verdicts()["row.0"].state == "disputed"
    assert here.decisions.verdicts()["row.2"].class_text == '""'


def test_importing_twice_is_importing_once(here):
    back = [annotated(task, "dog") for task in exported(here)]
    assert imported(here, back) == [2, 0, 0, 0, 0]
    assert imported(here, back) == [0, 2, 0, 0, 0]
    changed = [annotated(back[0], 'c<"a>t', updated_at="2026-03-02T10:00:00Z")]
    assert imported(here, changed) == [1, 0, 0, 0, 0]
    assert here.decisions.verdicts()["row.0"].class_text == '"c<\\"a>t"'


def test_an_exported_annotation_that_was_updated_is_a_decision(here):
    (first, *_) = exported(here)
    first["annotations"][0] |= {"lead_time": 2.0, "completed_by": 1}
    assert imported(here, [first]) == [1, 0, 0, 0, 0]
    assert here.decisions.verdicts()["row.0"].class_text == '"c<\\"a>t"'


def test_what_does_not_belong_is_counted_and_the_rest_imported(here):
    first, last = exported(here)
    stranger = annotated(first, "dog")
    stranger["data"]["errata_key"] = "row.99"
    other_config = annotated(first, "dog")
    other_config["annotations"][0]["result"][0]["from_name"] = "sentiment"
    several = annotated(first, "dog")
    several["annotations"][0]["result"][0]["value"]["choices"] = ["dog", '""']
    tasks = [stranger, other_config, several, annotated(first, "horse"), annotated(last, "dog")]
    assert imported(here, tasks) == [1, 0, 0, 1, 3]


@pytest.mark.parametrize("text", ["nonsense", '{"a": 1}', '[{"data": {}}]', "[3]", "[" * 100_000])
def test_a_file_that_is_none_of_theirs_is_refused(here, text):
    (here.folder / "bad.json").write_text(text)
    with pytest.raises(ValueError, match=r"bad.json is not a list of tasks with annotations"):
        import_label_studio(here.decisions, AUDITED, here.folder / "bad.json")
