import json

import numpy as np
import pytest

from cli.command_line import invoke
from errata.bench import get_experiment, run_experiment, write_comparison

SETTING = "20 %, sparsity 0"


@pytest.fixture
def made():
    """Probabilities of ten classes, and labels of which a fifth is wrong."""
    random = np.random.default_rng(0)
    truth = random.integers(10, size=800)
    labels = np.where(random.random(800) < 0.2, (truth + 1) % 10, truth)
    proba = random.dirichlet(np.full(10, 0.3), size=800) + 3 * np.eye(10)[truth]
    return (proba / proba.sum(axis=1, keepdims=True)).astype(np.float16), labels, truth


def save_as_arrays(folder, name, made):
    proba, labels, truth = made
    np.savez(folder / f"{name}.npz", pred_proba=proba, label=labels, true_label=truth)


def save_as_authors(folder, made):
    proba, labels, truth = made
    name = "cifar10_noisy_labels__frac_zero_noise_rates__0{0}0__noise_amount__0{0}2"
    for place in ("cifar10_noisy_labels", name.format("_")):
        (folder / place).mkdir()
    np.save(folder / name.format("_") / "cifar10__train__model_resnet50__pyx.npy", proba)
    given = folder / "cifar10_noisy_labels" / f"{name.format('.')}.json"
    for path, values in ((folder / "train_filename2label.json", truth), (given, labels)):
        path.write_text(json.dumps({f"{i}.png": int(value) for i, value in enumerate(values)}))


def test_both_layouts_give_the_same_numbers(made, tmp_path):
    for layout in ("ours", "theirs"):
        (tmp_path / layout).mkdir()
    save_as_arrays(tmp_path / "ours", "cl_cifar10_noise20_sparsity0", made)
    save_as_authors(tmp_path / "theirs", made)
    experiment = get_experiment("confident-learning").part(datasets=[SETTING])
    results = [
        run_experiment(experiment, tmp_path / f"{layout}-out", folder=tmp_path / layout)
        for layout in ("ours", "theirs")
    ]
    assert str(results[0]) == str(results[1])  # as text: what is not a number equals nothing
    found = {row["method"]: row for row in results[0]}
    wrong = made[1] != made[2]
    contradicted = made[0].argmax(axis=1) != made[1]
    hits = (contradicted & wrong).sum()
    argmax = found["most probable class"]
    assert argmax["precision"] == pytest.approx(hits / contradicted.sum())
    assert argmax["recall"] == pytest.approx(hits / wrong.sum())
    assert argmax["rate"] == pytest.approx(contradicted.mean())
    assert found["errata"]["f1"] > 0.9
    assert found["errata"]["low"] <= wrong.mean() <= found["errata"]["high"]
    page = (write_comparison(experiment, results[0], tmp_path).files)[-1].read_text()
    assert f"| {SETTING} | {argmax['f1']:.3f} |" in page
    assert "| 0.781 | " in page


def test_scores_rank_and_flags_are_measured(made, tmp_path):
    save_as_arrays(tmp_path, "lq_cifar10s_twins", made)
    experiment = get_experiment("label-quality").part(datasets=["CIFAR-10, Twins"])
    results = run_experiment(experiment, tmp_path / "out", folder=tmp_path)
    wrong = made[1] != made[2]
    for row in results:
        assert row["auroc"] > 0.95
        assert row["lift"] <= 1 / wrong.mean()
    path = write_comparison(experiment, results, tmp_path).files[-1]
    assert "| CIFAR-10, Twins | self confidence | " in path.read_text()


@pytest.mark.parametrize("mask", [False, True])
def test_scores_are_the_same_from_the_files_of_their_authors(made, tmp_path, mask):
    proba, labels, truth = made
    save_as_arrays(tmp_path, "lq_roman_numerals_swin", made)
    theirs = tmp_path / "authors" / "roman-numeral"
    theirs /= "roman-numeral_train_val_dataset_cv_swin_base_patch4_window7_224"
    theirs.mkdir(parents=True)
    np.save(theirs / "pred_probs.npy", proba)
    np.save(theirs / ("labels.npy" if mask else "noisy_labels.npy"), labels)
    name, values = ("label_errors_mask", labels != truth) if mask else ("true_labels", truth)
    np.save(theirs / f"{name}.npy", values)
    experiment = get_experiment("label-quality").part(datasets=["Roman numerals, Swin"])
    results = [
        run_experiment(experiment, tmp_path / out, folder=folder)
        for out, folder in (("ours", tmp_path), ("theirs", tmp_path / "authors"))
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["confident-learning", "label-quality"])
def test_missing_files_are_named(name, tmp_path, monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    arguments = ["reproduce", name, "--quick", "--jobs", "1", "--out", str(tmp_path / "out")]
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert "name the folder" in result.output
    result = invoke(*arguments, "--data", tmp_path)
    assert result.exit_code == 2
    assert "choose settings that are there with --dataset" in result.output.replace("\n", " ")
    assert not (tmp_path / "out").exists()


def test_settings_that_are_not_there_are_left_out_and_named(made, tmp_path):
    (tmp_path / "theirs").mkdir()
    save_as_authors(tmp_path / "theirs", made)
    part, files = get_experiment("confident-learning").part_in(tmp_path / "theirs")
    assert list(part.datasets) == [SETTING]
    assert len(files) == 11
    assert "cl_cifar10_noise70_sparsity6.npz" in files
    save_as_arrays(tmp_path, "lq_cifar10s_twins", made)
    part, files = get_experiment("label-quality").part_in(tmp_path)
    assert list(part.datasets) == ["CIFAR-10, Twins"]
    assert len(files) == 19
    assert files[0] == "lq_cifar10s_resnet18.npz"
    whole, files = get_experiment("walmsley").part_in(None)
    assert len(whole.datasets) == 15
    assert files == []


def test_what_is_behind_is_named_with_its_metric():
    scores = {"auroc": 0.9, "average_precision": 0.8, "lift": 4.0, "f1": 0.7}
    rows = [
        {"dataset": "Roman numerals, Swin", "method": method, **scores, "f1": f1}
        for method, f1 in (("self confidence", 0.7), ("errata", 0.6))
    ]
    tabulate = get_experiment("label-quality").tabulate
    assert tabulate(rows)[1] == ["Behind: Roman numerals, Swin (f1)."]
    rows[1]["f1"] = 0.7
    assert tabulate(rows)[1] == ["Nowhere behind the best of the others."]
