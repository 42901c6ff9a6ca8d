"""Constants of the audit, and the commands that measure those that decide about numbers.

One that a single file uses stands beside it, under such a comment.

Those of the noise model, skill, boundary noise, leaks and self-check were taken over from a
prototype and found no worse than their neighbours by these commands; models and sizes were chosen
by them. Data sets are split by a fixed list in ``benchmarks/runs.py``, which says what was
looked at when: ``CHOSEN_ON`` chose constants, ``UNSEEN`` chose none.
"""

import numpy as np

# Inputs: what can be audited at all.
FEWEST_ROWS = 6
MOST_CLASSES = 1_000

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/speed.py stored million trees`
LEARN_ROWS = 200_000  # rows drawn to learn from; all others are judged by what was learnt
JUDGED_ROWS = 2**16  # judged at a time
LEAVE_ONE_OUT = 20_000  # rows up to which each is left out by itself; beyond, in ten folds
TREE_ROWS = 20_000  # rows that a tree is grown from at most; it predicts all the others
TREES = {1_000: 300, 3_000: 200, TREE_ROWS: 100, np.inf: 50}  # in a forest, by rows at most
FEW_CLASSES = 30  # up to which a linear model is quick
NOISE_ROWS = 5_000  # rows that the noise model is fitted to at most
CHECKED_ROWS = 5_000  # rows up to which errors are injected among all of them
CHECK_SAMPLE = 5_000  # and how many are drawn for it beyond
WORTH_COMPILING = 10**6  # numbers from which compiled loops make up for being loaded
WORTH_COMPILING_OF_MANY = 10**5  # in one block of a table that has many of them
CACHED = 2**16  # probabilities worked on at once: what stays in the processor's cache

# Models and their parameters. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
FOLDS = 5  # of cross-fitted models
RIDGE_FOLDS = 10  # of RBF features where rows are many
GROUP_FOLDS = 10  # that groups fall into where only some rows are learnt from
WIDE = 0.5  # sharpness of RBF features
MEDIUM = 1.0
NEIGHBORS = 20

# Pooling and calibration. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
SMALLEST_PROBABILITY = 1e-4  # no model may rule a class out altogether

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
COVERAGE = 0.9  # of the posterior that the interval of the noise rate holds

# Whether the columns tell anything. `python benchmarks/honesty.py claims null`
LEAST_SKILL = 2.4  # standard errors
MOST_WITHOUT_SKILL = 0.05  # p_wrong where nothing can be told
OVERLAP = 0.1  # ambiguity from which a note speaks of overlap, and the first sentence is careful

# Columns that hold the label, and copies of rows. `python benchmarks/honesty.py claims leak copies`
LEAK_ROWS = 5_000  # looked at at most: a leak shows in these, and large tables stay cheap

# Self-check. `python benchmarks/honesty.py claims null selfcheck`, `detection.py`
FEWEST_INJECTED = 20  # errors

# Flags. `python benchmarks/honesty.py claims untouched`, `detection.py real`, `detection.py`
EXACT_ROWS = 1_000_000  # up to which rows are sorted to be flagged and kept in one file
BATCH_ROWS = 100_000  # of an audit in memory that are given at a time

# Cleaning. `python benchmarks/learning.py cleaning`
CLEAN_THRESHOLD = 0.5  # p_wrong above which a row is acted upon
RELABEL_SURE = 0.8  # probability of the suggested class above which it is given
KEPT_OF_A_CLASS = 0.5  # fraction of its rows that stay
LAST_OF_A_CLASS = 2  # and number

# What is shown, which decides about no number.
MOST_EXAMPLES_OF_MANY = 200
SIMILAR_ROWS = 5  # beside an example: the nearest, whatever their label
NAMED_COLUMNS = 8  # that a note mentions by name
MATRIX_UP_TO = 50  # classes
