"""A generator that gives out after some draws: an endless loop fails instead of hanging."""

import numpy as np


class LimitedRandom(np.random.RandomState):
    """Allows ``draws`` calls of random_sample and randint, by which ``choice`` draws as well."""

    def __init__(self, seed, draws):
        super().__init__(seed)
        self.allowed, self.drawn = draws, 0

    def _count(self):
        self.drawn += 1
        assert self.drawn <= self.allowed, f"more than {self.allowed} draws"

    def random_sample(self, *args, **kwargs):
        self._count()
        return super().random_sample(*args, **kwargs)

    def randint(self, *args, **kwargs):
        self._count()
        return super().randint(*args, **kwargs)
