"""A table of homes and prices, three of them ten times too large, for the command line."""

import numpy as np

WRONG = [5, 40, 77]


def homes(n=120):
    """Columns; the price depends on size and age."""
    random = np.random.default_rng(0)
    size, age = random.uniform(50, 200, n), random.uniform(0, 80, n)
    price = (100 + 2 * size - age + random.normal(0, 5, n)).round(1)
    price[WRONG] = (10 * price[WRONG]).round(1)
    return {
        "size": size.round(1),
        "age": age.round(1),
        "street": np.array([f"s{i // 4}" for i in range(n)]),
        "home": np.array([f"h{i}" for i in range(n)]),
        "price": price,
    }
