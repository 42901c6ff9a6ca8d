import numpy as np
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from errata._random import seeded_clone


def test_every_random_state_is_drawn_and_the_original_left_alone():
    pipeline = make_pipeline(MLPClassifier(), Perceptron())
    copied = seeded_clone(pipeline, np.random.RandomState(0))
    drawn = np.random.RandomState(0).randint(2**31 - 1, size=2)
    assert copied[0].random_state == drawn[0]
    assert copied[1].random_state == drawn[1]
    assert pipeline[0].random_state is None


def test_without_a_random_state_nothing_is_drawn():
    random = np.random.RandomState(0)
    seeded_clone(GaussianNB(), random)
    assert random.randint(1000) == np.random.RandomState(0).randint(1000)
