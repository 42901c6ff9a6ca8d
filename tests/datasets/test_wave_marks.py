import numpy as np
import pytest

from errata.datasets._ecg_folder import label_samples


def marks(text, step=10):
    """Marks every ``step`` samples, a space where there is none."""
    placed = [(step * i, symbol) for i, symbol in enumerate(text) if symbol != " "]
    samples, symbols = zip(*placed, strict=True)
    return np.array(samples), np.array(symbols)


def runs(text):
    found = label_samples(*marks(text), fs=250.0)
    begins = np.flatnonzero(np.r_[True, found.labels[1:] != found.labels[:-1]])
    return [(int(found.samples[b]), str(found.labels[b])) for b in begins]


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
    found = label_samples(*marks("(p)(N) t)"), fs=250.0)
    at = dict(zip(found.samples.tolist(), found.labels.tolist(), strict=True))
    assert (at[29], at[30], at[50], at[51], at[80]) == ("P", "QRS", "QRS", "T", "T")
    assert found.samples.max() == 80


@pytest.mark.parametrize("beat", ["(p)(N  t)", "(p)N) t)", "(p)(N) t", "(p)(N)", "(p)"])
def test_a_beat_without_both_ends_of_qrs_and_the_end_of_t_does_not_count(beat):
    whole = "(p)(N) t)"
    assert runs(whole + " " * 5 + beat) == runs(whole)
    assert label_samples(*marks(beat), fs=250.0).lengths == []


def test_a_p_before_a_complex_without_t_is_not_that_of_the_next():
    assert runs("(p)(N)  (N) t)") == [(80, "QRS"), (101, "T")]


def test_a_beat_that_was_not_annotated_cuts_the_sequence():
    beat = "(p)(N) t)  "  # 110 samples
    steady = label_samples(*marks(beat * 4), fs=250.0)
    assert len(steady.lengths) == 1
    skipped = label_samples(*marks(beat * 3 + " " * len(beat) + beat * 2), fs=250.0)
    assert len(skipped.lengths) == 2
    assert sum(skipped.lengths) == len(skipped.samples) == len(skipped.labels)


def test_a_p_that_begins_before_t_ends_is_p():
    order = [(0, "("), (5, "N"), (10, ")"), (20, "t"), (30, ")"), (28, "("), (33, "p"), (36, ")"),
             (40, "("), (45, "N"), (50, ")"), (60, "t"), (70, ")")]  # fmt: skip
    samples, symbols = (np.array(column) for column in zip(*order, strict=True))
    found = label_samples(samples, symbols, 250.0)
    assert found.labels[27] == "T"
    assert found.labels[28] == "P"
