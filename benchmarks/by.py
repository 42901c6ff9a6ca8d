"""Noise rates by annotator: how far off, how often the interval holds the truth, who stands out.

    python benchmarks/by.py --data FOLDER

Five annotators label a table, of whom the fifth has 30 % wrong labels and the others 2 to 10 %; or
all have 8 %. Sets are some of the held-out ones of ``noisy_sets``: no constant was chosen on them.
"""

import argparse

import numpy as np
from noisy_sets import load

import errata

SETS = ("dna", "kr_vs_kp", "mushroom", "pendigits", "seeds", "vote", "sick", "crabs", "nursery")
SHARES = (0.3, 0.3, 0.2, 0.1, 0.1)
UNEVEN, EVEN = (0.02, 0.05, 0.05, 0.1, 0.3), (0.08,) * 5
MOST_ROWS = 1_500


def labelled(y, rates, random):
    """Labels of annotators, who they are, and which are wrong."""
    who = random.choice(len(SHARES), len(y), p=SHARES)
    wrong = random.random(len(y)) < np.take(rates, who)
    k = y.max() + 1
    return np.where(wrong, (y + random.integers(1, k, size=len(y))) % k, y), who, wrong


def audited(X, y, rates, seed):
    """Errors of rate and of the plain mean, how many intervals hold, the chance of the fifth."""
    labels, who, wrong = labelled(y, rates, np.random.default_rng(seed))
    audit = errata.audit(X, labels, self_check=False, random_state=seed)
    truth = np.bincount(who, weights=wrong) / np.bincount(who)
    found = audit.rates_by(who).to_dict("list")
    found = {name: np.array(column) for name, column in found.items()}
    order = np.argsort(found["value"].astype(int))
    rate, low, high, chance = (found[name][order] for name in ("rate", "low", "high", "chance"))
    plain = np.bincount(who, weights=audit.p_wrong) / np.bincount(who)
    holds = audit.noise_rate.low <= wrong.mean() <= audit.noise_rate.high
    inside = (low <= truth) & (truth <= high)
    off = np.abs(rate - truth).mean(), np.abs(plain - truth).mean()
    return *off, inside.mean(), holds, (chance[:4] < 0.05).any(), chance[4] < 0.05


def main(args):
    for name, rates in (("one noisy annotator", UNEVEN), ("all alike", EVEN)):
        told = []
        for data in SETS:
            for seed in range(args.seeds):
                told.append(audited(*load(data, MOST_ROWS, seed, args.data), rates, seed))
        rate, plain, inside, holds, others, fifth = np.mean(told, axis=0)
        print(
            f"{name}, {len(told)} audits: rates off by {rate:.3f} (mean p_wrong: {plain:.3f}), "
            f"intervals hold {inside:.0%} (that of all rows {holds:.0%}), "
            f"the fifth stands out in {fifth:.0%}, another in {others:.0%}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--data", help="Folder of the data sets, or set ERRATA_DATA.")
    main(parser.parse_args())
