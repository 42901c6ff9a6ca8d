"""Sequences drawn from a hidden Markov model, and what can be known of one by trying all paths."""

from itertools import product

import numpy as np

CENTRES = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])


def draw_classes(random, n, transitions):
    """A path of ``n`` states."""
    path = np.empty(n, dtype=int)
    path[0] = random.integers(len(transitions))
    steps = np.cumsum(transitions, axis=1)
    for t in range(1, n):
        path[t] = min(np.searchsorted(steps[path[t - 1]], random.random()), len(steps) - 1)
    return path


def staying(n_classes, stay):
    """Transitions to any other class alike."""
    return np.where(np.eye(n_classes, dtype=bool), stay, (1 - stay) / (n_classes - 1))


def cycling(n_classes, stay):
    """Transitions to the next class only."""
    return stay * np.eye(n_classes) + (1 - stay) * np.roll(np.eye(n_classes), 1, axis=1)


def gaussian_chain(n=600, *, seed=0, stay=0.9, centres=CENTRES, cycle=False):
    """Samples of unit variance around the centre of their class, and the classes."""
    random = np.random.default_rng(seed)
    transitions = (cycling if cycle else staying)(len(centres), stay)
    path = draw_classes(random, n, transitions)
    return centres[path] + random.normal(size=(n, centres.shape[1])), path


def random_problem(seed, n=6, n_classes=3, scale=1.0, missing=True):
    """Arguments of the loops over a chain: one sequence, one state for each class."""
    random = np.random.default_rng(seed)
    k = n_classes
    labels = random.dirichlet(np.ones(k), k)
    return (
        scale * random.normal(size=(n, k)),
        random.integers(-1 if missing else 0, k, n).astype(np.int16),
        np.array([n]),
        np.column_stack([np.log(labels), np.zeros(k)]),
        random.dirichlet(np.ones(k)),
        random.dirichlet(np.ones(k), k),
    )


def by_all_paths(log_emissions, labels, ends, log_labels, start, transitions):
    """Log-likelihood, posteriors, expected transitions and best path of one sequence."""
    n, h = len(log_emissions), len(start)
    paths = np.array(list(product(range(h), repeat=n)))
    seen = log_emissions + log_labels.T[labels]
    with np.errstate(divide="ignore"):
        log_p = np.log(start)[paths[:, 0]] + seen[np.arange(n), paths].sum(axis=1)
        log_p = log_p + np.log(transitions)[paths[:, :-1], paths[:, 1:]].sum(axis=1)
    total = np.logaddexp.reduce(log_p)
    p = np.exp(log_p - total)
    gamma, xi = np.zeros((n, h)), np.zeros((h, h))
    for path, probability in zip(paths, p, strict=True):
        gamma[np.arange(n), path] += probability
        np.add.at(xi, (path[:-1], path[1:]), probability)
    return total, gamma, xi, paths[log_p.argmax()], log_p.max()
