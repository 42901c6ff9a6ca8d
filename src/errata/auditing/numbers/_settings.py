"""Every constant of the audit of numeric targets; `python benchmarks/targets.py` measures them.

Two scales, clips, grids and the width of the interval were taken over from a prototype that had
chosen them on the first list of tables in that benchmark; its second list chose nothing.
"""

import numpy as np

# Logarithms of targets, which the likelihood decides on
MOSTLY_POSITIVE = 0.95  # of the targets; a sign may be wrong
LOG_QUANTILE = 0.01
SKEW_QUANTILES = (0.2, 0.5, 0.8)
LEAST_SKEW = 1.4  # upper over lower side, to be worth a try
LEAST_LOG_GAIN = 0.085  # in log likelihood of a row: errors on one side bring up to that

# Atoms: single values that many rows share
LEAST_ATOM = 0.05  # fraction of the rows
LEAST_EXCESS = 2.0  # times the next most frequent value
FEWEST_BESIDE = 30  # rows that are left beside atoms
ATOM_LEAF = (2, 20)  # of trees
TRUST_IN_TREES = 2.0 ** np.arange(9)  # rows that what trees say of a row counts for

# Models
RBF_SHARPNESS = {"wide RBF features": 0.5, "RBF features": 1.0, "narrow RBF features": 2.0}
RBF_UNITS = 400
FOREST_LEAF = 2
FOREST_TREES = {20_000: 60, np.inf: 50}  # by rows at most
TARGET_STEP = 2.0**-13  # at which trees see targets
WEIGHT_STEP = 2.0**-8  # and weights of rows
TWO_FORESTS = 3_000  # rows up to which a random forest stands beside extra trees
NEAR_TARGETS = 20  # neighbours
FOLDS_OF_TARGETS = 5  # of regressors without a closed form

# Rounds
START_CLIP = 10.0  # robust scales beyond the quartiles: targets further out start from there
LATER_CLIP = 50.0  # local scales from the prediction
LEAST_ROW_WEIGHT = 1e-3

# Pool
HUBER = 1.345  # times the smallest robust scale of a model's residuals
HUBER_RIDGE = 1e-3
HUBER_STEPS = 500
HUBER_TOLERANCE = 1e-9  # of the change of a weight
FITTED_ROWS = 10_000  # that weights of models and noise are fitted to at most

# Local scale
# Times the scale of all: what is looked at of residuals.
LEAST_RESIDUAL = 0.05
MOST_RESIDUAL = 2.0
SCALE_TREES = 60
SCALE_LEAF = (5, 20)
POWERS = np.r_[np.arange(0, 1.75, 0.25), 2.0]  # of what is predicted for the scale of a row
LARGEST_LOG_SCALE = 1.5
LEAST_TOLD_SKEW = 0.15  # half of the log ratio of the scales above and below what is predicted
LEAST_BETWEEN_QUARTILES = 1.0  # local scales, where those are not at their smallest
# Of the densities that powers are weighed by.
CORE_TAIL = 5.0
WIDE_FRACTION = 0.1
WIDE_SCALE = 5.0
SMALLEST_SCALE = 1e-3  # of the targets' own: what differs by less is no error, but rounding
MOSTLY_SHARED = 0.5  # of the rows: where so many share their value, targets are rounded
SMALLEST_STEP = 0.5  # of a rounding step: how far rounding alone moves a target

# Noise
TAILS = (3.0, 4.0, 6.0, 10.0, 30.0)  # degrees of freedom of right residuals
GROSS_SCALES = 3.0 * 2.0 ** np.arange(8)  # of wrong residuals
TARGET_RATES = np.geomspace(0.001, 0.5, 52)
RATE_PRIOR = (0.5, 10.5)  # of the Beta distribution
EM_STEPS = 200
EM_TOLERANCE = 1e-6
LEAST_SIGMA = 3**-0.5  # local scales: of half a rounding step, the deviation of rounding alone
KERNELS = 1_000  # of the density of targets, at most
CLEAR_KIND = 2 / 3  # share of an error's kind from which it is named

# What is told
CENTER_STEPS = 50  # of the search for the best constant prediction
MOST_TOLD = 0.25  # rate beyond which errors and right targets of uneven spread look alike
MOST_BELIEVED = 1 / 3  # of the targets: where more look wrong, the target is not understood
# Of the interval: the tail of real residuals is no Student t.
RATE_FACTOR = 1.5
RATE_SLACK = 0.02
HIDDEN = 0.1  # rate of errors that may hide in a table of which nothing is explained
INSIDE = 0.9  # of right targets lie between low and high

# Self-check
MOVED = 0.1  # robust scales of the targets: a smaller change is no error
PLANTING_TRIES = 10
