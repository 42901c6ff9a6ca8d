"""Whatever a table looks like, terminal, report and Python tell the same numbers in one grammar."""

import re
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sklearn.naive_bayes import GaussianNB

import errata
from auditing_cases import QUICK, blobs
from errata._sentences import answer
from errata.cli._findings import print_findings
from errata.noise import flip_labels

SHAPES = {  # rows, classes, labels changed, how far classes are blurred, options
    "two classes": (100, 2, 8, 1.0, {}),
    "nothing wrong": (100, 2, 0, 0.0, {}),
    "one wrong": (100, 2, 1, 0.0, {}),
    "a dozen rows": (12, 3, 2, 0.5, {}),
    "ten classes": (150, 10, 15, 1.0, {}),
    "thirty classes": (200, 30, 20, 0.5, {}),
    "overlap": (200, 3, 20, 4.0, {}),
    "no skill": (90, 3, 25, 80.0, {}),
    "a class of one row": (80, 3, 4, 0.5, {"alone": True}),
    "half of a class wrong": (120, 3, 0, 0.5, {"spoilt": True}),
    "ids": (60, 3, 4, 0.5, {"ids": True}),
    "a short list": (150, 3, 15, 3.0, {"precision": 0.95}),
}


@cache
def audited(shape):
    n, k, flips, blur, options = SHAPES[shape]
    X, codes = blobs(n, k)
    X = X + blur * np.random.default_rng(1).normal(size=X.shape)
    labels = np.array([f"c{code}" for code in flip_labels(codes, n_flips=flips, random_state=0)[0]])
    if "alone" in options:
        labels[0] = "lonely"
    if "spoilt" in options:
        labels[np.flatnonzero(codes == 0)[:25]] = "c1"
    ids = [f"row {row}" for row in range(n)] if "ids" in options else None
    models = [*QUICK, GaussianNB()]
    return errata.audit(
        X, labels, ids=ids, precision=options.get("precision"), estimators=models, random_state=0
    )


@pytest.fixture(params=SHAPES)
def audit(request):
    return audited(request.param)


def printed(audit):
    terminal = Console(width=1_000, highlight=False, markup=False)
    with terminal.capture() as capture:
        print_findings(
            audit.summary(), file=Path("t.csv"), folder=Path("t.audit"), terminal=terminal
        )
    return " ".join(capture.get().split())


def page(audit):
    text = re.sub(r"<(style|script).*?</\1>", "", audit.to_html(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_terminal_report_and_python_give_one_answer(audit):
    said = answer(audit.summary())
    assert printed(audit).startswith(said)
    pytest.importorskip("jinja2", reason="the report extra is not installed")
    assert said in page(audit)
    many, _, more = said.partition(". ")
    flags = re.split("[.;]", more)[0]
    short = repr(audit)[len("<Audit: ") : -1]
    assert short.lower() == f"{many}; {flags}".lower()


def test_nothing_is_counted_as_one_rows_nor_said_to_be_certain(audit):
    for text in (printed(audit), page(audit), repr(audit), repr(audit.self_check)):
        assert not re.search(r"(?<![\d.,])1 (rows|labels|models|classes|errors|groups|are)\b", text)
        assert not re.search(r"(probability|chance)[^.]*\b100%", text)
    assert all(example["p_wrong"] <= 0.9999 for example in audit.summary()["examples"])


def test_counts_are_the_percentages_beside_them(audit):
    summary = audit.summary()
    rate, n = summary["noise_rate"], summary["rows"]
    for count, fraction in (("count", "estimate"), ("count_low", "low"), ("count_high", "high")):
        np.testing.assert_allclose(rate[count], n * rate[fraction], rtol=0, atol=0.5 + 1e-3)


def test_what_is_flagged_is_counted_alike_everywhere(audit):
    summary = audit.summary()
    flagged = summary["flagged"]["count"]
    assert flagged == audit.flagged.sum() == sum(e["flagged"] for e in summary["examples"])
    assert flagged == sum(row["flagged"] for row in summary["per_class"])
    assert flagged == sum(pair["count"] for pair in summary["confusion"])
    listed = re.search(
        r"most suspicious of (\d+) flagged rows|The (\d+) flagged rows", printed(audit)
    )
    assert flagged < 2 or int(listed[1] or listed[2]) == flagged


@pytest.mark.parametrize("spared", [False, True], ids=["as found", "classes spared"])
def test_what_cleaning_drops_is_told_as_it_is(audit, spared):
    if spared:
        audit = replace(audit, p_wrong=np.full(len(audit), 0.9))
    cleaned = audit.summary()["flagged"]["cleaned"]
    dropped = int((audit.clean("drop").did == "dropped").sum())
    assert dropped == cleaned["rows"] <= cleaned["above"]
    assert not spared or not audit.has_skill or dropped < cleaned["above"]
    if dropped < cleaned["above"]:
        told = f"{dropped or 'none'} of the {cleaned['above']} rows that are more likely wrong"
        assert told in printed(audit)
        assert "to spare small classes" in printed(audit)


def test_an_example_names_the_class_that_its_reasons_speak_of(audit):
    for example in audit.examples:
        first, row = example["reasons"][0], example["row"]
        if first == "It is the only row of its class.":
            assert not example["flagged"]
            continue
        assert example["suggested"] != example["label"] == audit.labels[row]
        assert f"predict {example['suggested']}" in first.replace("predicts", "predict")
        if example["flagged"]:
            assert example["suggested"] == audit.suggested[row]
        else:
            assert audit.suggested[row] == audit.labels[row]


def test_every_model_is_counted_once_in_a_reason(audit):
    for example in audit.examples:
        first = example["reasons"][0]
        counts = [int(n) for n in re.findall(r"(\d+)(?: of 2 models)? predicts? ", first)]
        assert "Both" in first or "only row" in first or sum(counts) == len(audit.models)


def test_weights_of_models_are_fractions_of_one(audit):
    weights = [model["weight"] for model in audit.models]
    np.testing.assert_allclose(sum(weights), 1, rtol=0, atol=1e-3)


def test_the_shapes_are_as_different_as_they_should_be():
    flags = {shape: int(audited(shape).flagged.sum()) for shape in SHAPES}
    assert flags["nothing wrong"] == flags["no skill"] == 0
    assert flags["one wrong"] == 1
    assert not audited("no skill").has_skill
