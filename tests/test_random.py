import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from errata._random import clone_keeping_seeds, clone_with_seed, draw_seed, draw_seeds, set_seed


def drawn(n, seed=0):
    return np.random.RandomState(seed).randint(2**31 - 1, size=n).tolist()


def test_every_random_state_of_a_clone_is_drawn_and_the_original_left_alone():
    pipeline = make_pipeline(MLPClassifier(random_state=7), SGDClassifier())
    copied = clone_with_seed(pipeline, np.random.RandomState(0))
    assert [copied[0].random_state, copied[1].random_state] == drawn(2)
    assert [pipeline[0].random_state, pipeline[1].random_state] == [7, None]


def test_a_member_keeps_the_seeds_that_were_set():
    pipeline = make_pipeline(MLPClassifier(random_state=7), SGDClassifier())
    copied = clone_keeping_seeds(pipeline, np.random.RandomState(0))
    assert [copied[0].random_state, copied[1].random_state] == [7, drawn(1)[0]]
    assert pipeline[1].random_state is None


@pytest.mark.parametrize("rule", [clone_with_seed, clone_keeping_seeds])
def test_without_a_random_state_nothing_is_drawn(rule):
    random = np.random.RandomState(0)
    rule(GaussianNB(), random)
    assert random.randint(1000) == np.random.RandomState(0).randint(1000)


@pytest.mark.parametrize("rule", [clone_with_seed, clone_keeping_seeds])
def test_draws_follow_the_names_and_not_the_order_of_the_parts(rule):
    steps = [("b", MLPClassifier()), ("a", SGDClassifier())]
    copied = rule(Pipeline(steps), 0)
    assert [copied["a"].random_state, copied["b"].random_state] == drawn(2)


def test_clones_of_one_generator_draw_different_seeds():
    random = np.random.RandomState(0)
    clones = [clone_with_seed(SGDClassifier(), random).random_state for _ in range(3)]
    assert clones == drawn(3)


def test_seeds_are_those_drawn_one_by_one():
    one_by_one = np.random.RandomState(3)
    assert draw_seeds(3, 4) == [draw_seed(one_by_one) for _ in range(4)]
    assert draw_seeds(0, 0) == []


def test_an_estimator_gets_its_seed_and_its_parts_others():
    made = BaggingClassifier(SGDClassifier())
    assert set_seed(made, 5) is made
    assert made.random_state == 5
    assert made.estimator.random_state == drawn(1, seed=5)[0]
    set_seed(GaussianNB(), 5)  # has no seed to set


def test_seeds_reach_into_pipelines_but_keep_what_is_set():
    random = np.random.RandomState(0)
    learner = make_pipeline(StandardScaler(), RandomForestClassifier())
    seeded = clone_keeping_seeds(learner, random)
    assert isinstance(seeded[-1].random_state, int)
    assert learner[-1].random_state is None
    assert clone_keeping_seeds(RandomForestClassifier(random_state=5), random).random_state == 5
