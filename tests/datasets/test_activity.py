import numpy as np
import pytest

from errata.datasets import make_activity
from errata.datasets._synthetic import _ACTIVITIES, _NEXT


def test_recordings_have_the_length_asked_for_and_repeat():
    X, y, lengths = make_activity(3, duration=30, fs=50, random_state=0)
    assert lengths == [1500] * 3
    assert X.shape == (4500, 3)
    assert y.shape == (4500,)
    np.testing.assert_array_equal(make_activity(3, duration=30, fs=50, random_state=0)[0], X)


def test_activities_follow_each_other_as_people_do():
    _, y, lengths = make_activity(4, duration=2000, dwell=5, random_state=1)
    seen = {
        (one, other)
        for part in np.split(y, np.cumsum(lengths)[:-1])
        for one, other in zip(part[:-1].tolist(), part[1:].tolist(), strict=True)
        if one != other
    }
    assert seen == {(one, other) for one, others in _NEXT.items() for other in others}


def test_an_activity_lasts_as_long_as_asked_for_on_average():
    _, y, _ = make_activity(1, duration=20_000, dwell=8, fs=10, random_state=0)
    stays = np.diff(np.flatnonzero(np.r_[True, y[1:] != y[:-1]])) / 10
    assert abs(stays.mean() - 8) < 0.5
    assert stays.min() >= 2


def test_axes_have_the_posture_the_tremor_and_the_rhythm_of_the_activity():
    X, y, _ = make_activity(1, duration=4000, dwell=40, random_state=0)
    spread = {name: X[y == name].std() for name in _ACTIVITIES}
    assert spread["run"] > X[y == "walk"].std(axis=0).max() > X[y == "sit"].std(axis=0).max()
    for name, activity in _ACTIVITIES.items():
        np.testing.assert_allclose(X[y == name].mean(axis=0), activity.gravity, rtol=0, atol=0.1)
    begins = np.flatnonzero(np.r_[True, y[1:] != y[:-1]])
    walk = next(b for b in begins if y[b] == "walk" and (y[b : b + 600] == "walk").all())
    power = np.abs(np.fft.rfft(X[walk : walk + 600, 0] - X[walk : walk + 600, 0].mean()))
    steps = np.fft.rfftfreq(600, 1 / 20)[power.argmax()]
    assert 0.9 * 1.8 - 0.05 <= steps <= 1.1 * 1.8 + 0.05


def test_bad_requests_get_a_sentence():
    with pytest.raises(ValueError, match="n_recordings=0 must be a whole number"):
        make_activity(0)
    with pytest.raises(ValueError, match="dwell=0 must be a finite number above 0"):
        make_activity(dwell=0)
