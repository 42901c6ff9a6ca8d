import pytest

from errata.report._charts import Axis, make_axis


def test_numbers_lie_where_they_should():
    axis = make_axis([0.0, 10.0], margin=0.1)
    assert [axis.at(v) for v in (-1, 5, 11)] == pytest.approx([0, 50, 100], rel=1e-12)
    logs = make_axis([1.0, 1000.0], margin=0.0, logs=True)
    assert logs.at(10) == pytest.approx(100 / 3, rel=1e-12)
    assert logs.at(-5) < 0


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [1e-9, 2e-9], [-5e6, 7e6], [12, 61.5]])
def test_there_are_some_round_marks_on_every_axis(values):
    ticks = make_axis(values).ticks()
    assert 3 <= len(ticks) <= 11
    assert all(-1e-6 <= tick["at"] <= 100 + 1e-6 for tick in ticks)
    assert len({tick["text"] for tick in ticks}) == len(ticks)


def test_a_short_axis_of_logarithms_has_marks_too():
    assert len(Axis(2.0, 8.0, logs=True).ticks()) > 2
