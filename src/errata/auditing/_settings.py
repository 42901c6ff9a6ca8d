"""Constants of the audit, and the commands that measure those that decide about numbers.

One that a single file uses stands beside it, under such a comment.

Those of the noise model, skill, boundary noise, leaks and self-check were taken over from a
prototype and found no worse than their neighbours by these commands; models and sizes were chosen
by them. Data sets are split by a fixed list in ``benchmarks/noisy_sets.py``, which says what was
looked at when: ``CHOSEN_ON`` chose constants, ``UNSEEN`` chose none.
"""

import numpy as np

# Inputs: what can be audited at all.
FEWEST_ROWS = 6
MOST_CLASSES = 1_000

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/scale.py tables million trees`
LEARN_ROWS = 200_000  # rows drawn to learn from; all others are judged by what was learnt
JUDGED_ROWS = 2**16  # judged at a time
LEAVE_ONE_OUT = 20_000  # rows up to which each is left out by itself; beyond, in ten folds
TREE_ROWS = 20_000  # rows that a tree is grown from at most; it predicts all the others
TREES = {1_000: 300, 3_000: 200, TREE_ROWS: 100, np.inf: 50}  # in a forest, by rows at most
SMALL = 1_000  # rows above which boosting pays, and a second forest gets fewer trees
BAGGED_ROWS = 3_000  # rows up to which a second forest stands in for boosting of many classes
FEW_CLASSES = 30  # up to which a linear model is quick
BOOSTED_CLASSES = 5  # up to which gradient boosting is: `python benchmarks/detection.py large`
NOISE_ROWS = 5_000  # rows that the noise model is fitted to at most
# Of each label, this much of its share among all rows must be left among those that are not known,
# for the noise to be learnt from these alone. Set by hand.
LEAST_DOUBTFUL = 0.5
CHECKED_ROWS = 5_000  # rows up to which errors are injected among all of them
CHECK_SAMPLE = 5_000  # and how many are drawn for it beyond
WORTH_COMPILING = 10**6  # numbers from which compiled loops make up for being loaded
WORTH_COMPILING_OF_MANY = 10**5  # in one block of a table that has many of them
WORTH_GROWING = 200_000  # rows of all trees times the features they try: the same for forests
FIT_PASSES = 30  # over its rows that a fit makes, at the least
CACHED = 2**16  # probabilities worked on at once: what stays in the processor's cache

# Models and their parameters. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
FOLDS = 5  # of cross-fitted models
RIDGE_FOLDS = 10  # of RBF features where rows are many
BOOSTED_FOLDS = (
    3  # of boosting, which stops early: better and four times as fast as five that do not
)
GROUP_FOLDS = 10  # that groups fall into where only some rows are learnt from
WIDE = 0.5  # sharpness of RBF features
MEDIUM = 1.0
NARROW = 2.0
RBF_FEATURES = 400
GCV_ROWS = 5  # for each feature, from which GCV chooses the ridge as well as leaving rows out
NEIGHBORS = 20
BOOSTED_LEAVES, BOOSTED_BINS = 15, 63  # of each boosted tree, and of each column
BOOSTED_RATE, BOOSTED_PATIENCE = 0.1, 5  # of learning; trees without gain after which it stops
EARLY_STOPPING_ROWS = 10  # of the rarest class: early stopping sets rows of every class aside

# Sequences. `benchmarks/sequences.py audit` compared pools of models; sizes were set by hand.
ROWS_OF_A_UNIT = 2  # that the noise model is fitted to
FEWEST_NOISE_ROWS = 200  # of all units together

# Pooling and calibration. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
SMALLEST_PROBABILITY = 1e-4  # no model may rule a class out altogether

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
RATES = np.r_[0, 0.01, 0.02, 0.04, 0.06, 0.08, np.arange(10, 40, 2.5) / 100, 0.4, 0.45]
PRIOR_SPREAD = 0.25  # a tenth to a quarter of wrong labels is nothing unusual, half of them is
RARE_NOISE = 0.02  # mean of the prior where noise does not make classes recognisable
AMBIGUITY_POWER = 3.0  # how fast belief in noise falls when it does not
TEMPER = 0.5  # rows share their models: each counts as half a row
# The next seven: `python benchmarks/decision.py networks`, `pairs`, `tables`
ENTROPY_LEFT = 0.6  # of the labels' entropy: what undoing noise saves below counts
EXCUSED_NATS = 0.5  # of likelihood that class-to-class noise may lack for a nat it saves
NATS_OF_A_ROW_SAVED = 40.0  # that a nat saved in every row adds to noise the surest rows show
SAVED_BY_A_VIEW = 0.5  # of a nat of likelihood, where it is decided whether to calibrate
HEAVY = 0.01  # weight of hypotheses that speak for others
SATURATED = 0.7  # weight of no noise where models take all for certain: `decision.py single`
COUNTED_OVERLAP = 0.5  # weight of no noise, times the rows in groups of equals that differ
MOST_CONDITION = 1e6  # of a transition matrix that is undone
SLOPE_PRECISION = 0.3
OFFSET_PRECISION = 0.5
SLOPES_AND_OFFSETS = np.array([[-2.0, -8.0], [4.0, 8.0]])  # logarithms of slopes; least and most
OFFSETS_UP_TO = 50  # classes; with more, offsets are left at zero
PATTERN_STEPS = 2  # times that the pattern of noise is estimated from the rows
PATTERN_ROWS = 20.0  # that speak for uniform noise
PATTERN_FRACTION = 0.02  # of all rows, where these are more
ANCHORS = 0.1  # fraction of the rows of a class that are surely of it
FEWEST_ANCHORS = 5
SUREST = (0.1, 0.2, 0.4)  # fractions of the rows of a class that estimate class-to-class noise
FEWEST_SUREST = 10  # of them at least
KEPT_ROWS = 2.0  # rows that speak for the class itself
EQUALLY_SURE = 1e-6  # difference of probabilities in single precision that is rounding
FLOW_CLASSES = 100  # up to which class-to-class noise is looked for: it costs O(n K²)
LEAST_UNMIXED = 0.05  # of the calibrated probability: what undoing noise leaves of it at least
MOST_OF_A_CLASS = 0.49  # a class is labelled right more often than not, so T has an inverse
COMPARABLE = 0.2  # of the largest weight: hypotheses that speak for how ambiguous classes are
REACH = 9.6  # in log weight: hypotheses further below the best are not looked for
LEAST_WEIGHT = 1e-3  # of the largest: lighter hypotheses are not kept
MOST_OF_THE_WEIGHT = 0.98  # of the hypotheses that rows are scored by: each costs as much
COVERAGE = 0.9  # of the posterior that the interval of the noise rate holds

# Boundary noise and ranking. `python benchmarks/detection.py real`, `detection.py` as above
BOUNDARY_SLOPE = 3.0  # how much sharper classes are if labels near their border are wrong
BOUNDARY_SPREAD = 0.2  # of its noise rate: `honesty.py synthetic`, seeds before the fresh ones
BOUNDARY_IN_RANKING = 0.15  # its fixed weight in the ranking
# The next two: `python benchmarks/decision.py networks`, `tables`, `made`
BOUNDARY_UNLIKELY = 0.1  # weight up to which the interval need not reach as far as it would
SURELY = 0.65  # probability of another label from which one is contradicted
RATHER = 0.5
UNEVEN = 0.08  # spread of the classes' noise rates from which plain surprise counts for little

# Several labels per row. `python benchmarks/multilabel.py`; the grid was set by hand
SHARED_RATES = np.geomspace(0.002, 0.4, 12)  # means of error rates that labels share
SHARED_STRENGTHS = np.array([10.0, 50.0, 250.0])  # rows' worth: how alike labels are
INJECTED_CELLS = 0.05  # flipped by the self-check, half of them each way
RATE_DRAWS = 4_000  # from the posterior, for the intervals of rates

# Whether the columns tell anything. `python benchmarks/honesty.py null`
LEAST_SKILL = 2.4  # standard errors
MOST_WITHOUT_SKILL = 0.05  # p_wrong where nothing can be told
OVERLAP = 0.1  # ambiguity from which a note speaks of overlap

# Columns that hold the label, and copies of rows. `python benchmarks/honesty.py leak copies`
LEAK_ROWS = 5_000  # looked at at most: a leak shows in these, and large tables stay cheap

# Several annotators. `python benchmarks/annotators.py`
VOTE_NUMBERS = 50_000_000  # probabilities of votes that are held at once
MATRIX_NUMBERS = 100_000_000  # of the matrices of workers, that are told at most
VOTE_STEPS = 50  # of the fit at most
VOTE_TOL = 1e-4  # change of a probability that is none
FIRST_STEPS = 6  # in all of which something is chosen anew
LATER_STEPS = 3  # one in so many, later
SHARED_DIAGONAL = 0.8  # votes that speak for being right
SHARED_OFF = 0.2  # and for anything
SHARED_FLOOR = 0.02  # of the votes of an ordinary worker that may be anything
SHARED_SHAPE = 0.75  # of the way from one coin to what was counted
KAPPAS = 2.0 ** np.arange(11)  # votes that what workers have in common may be worth
VOTE_WEIGHTS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1)
OTHER_WEIGHTS = (0.5, 2.0)  # times that: what it may be as well
TABLE_POWER = 2  # of that weight, which what a table tells has besides: `annotators.py simulate`
FEATURE_ROUNDS = 2  # models learn what items probably are, and are heard, so often
FEATURE_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
FEATURE_FLOORS = (0.0, 0.05, 0.2, 0.5)
WORKER_PRIOR_VOTES = 8.0  # that the accuracy of others counts at most in the bounds of a worker's
COPIED_VOTES = 100  # of items not clear to all, from which workers copy
COPIES_AGREE = 0.99  # fraction of them that is the same
HABIT_VOTES = 5.0  # of all workers that speak for the habits of one

# Self-check. `python benchmarks/honesty.py null selfcheck`, `detection.py`
INJECTED = 0.1  # errors: a fraction of the rows
FEWEST_INJECTED = 20  # and how many at least
INJECTED_BY_MODEL = 0.5  # fraction of them that follow the noise model; others are uniform
CHECK_TREES, CHECK_FEATURES = 60, 200  # of each forest and each RBF model there, at most
CHECK_RATE, CHECK_PATIENCE = 0.2, 3  # of boosting there
CHECKED_TWICE = 500  # rows below which errors are injected twice
LIST_LENGTH = 1.1  # of the list, times the number of errors, injected and expected
LEAST_LIFT = 2.0  # standard errors
CURVE_POINTS = 200  # ranks at which precision and recall are kept

# Flags. `python benchmarks/honesty.py untouched`, `real_errors.py`, `detection.py`
EXACT_ROWS = 1_000_000  # up to which rows are sorted to be flagged and kept in one file
BATCH_ROWS = 100_000  # of an audit in memory that are given at a time

# Cleaning. `python benchmarks/learning.py cleaning`
CLEAN_THRESHOLD = 0.5  # p_wrong above which a row is acted upon
RELABEL_SURE = 0.8  # probability of the suggested class above which it is given
CONSENSUS_SURE = 0.5  # the same of several annotators' consensus: more likely than all others
KEPT_OF_A_CLASS = 0.5  # fraction of its rows that stay
LAST_OF_A_CLASS = 2  # and number

# Learning from an audit. `python benchmarks/learning.py tolerant`, the sets of its first list
COMMITTEE_C = 3.0  # of the kernel logistic regression
COMMITTEE_LANDMARKS = 300
COMMITTEE_TREES = 100  # extremely randomised
COMMITTEE_LEAF = 3  # rows at least

# What is shown, which decides about no number.
MOST_EXAMPLES_OF_MANY = 200
EXAMPLE_COLUMNS = 24
SPEAKS = 2.0  # times as frequent in the other class: from there on a column speaks
SIMILAR_ROWS = 5  # beside an example: the nearest, whatever their label
CARD_CELLS = 30  # of several labels per row: the most doubted, besides those that are set
SHOWN_BALLOTS = 40  # votes of an item that are shown
TOLD_CLASSES = 3  # in a sentence
SHOWN_WORKERS = 60  # annotators in a report
SHOWN_ASKED = 20  # items that need another vote
NAMED_COLUMNS = 8  # that a note mentions by name
MATRIX_UP_TO = 50  # classes
TARGET_POINTS = 1_500  # drawn of an audit of numeric targets, the flagged ones first
TARGET_NEIGHBORS = 3  # beside an example of it
BAND_POINTS = 24  # of the band that right targets lie in
SUMMARY_PAIRS = 200
SUMMARY_DUPLICATES = 50
NO_NOISE = 0.0005  # a noise rate below is none in words
KIND_WEIGHT = 0.02  # of a kind of noise in the posterior from which it is listed
CAUSE_WEIGHT = 0.05  # of a cause worth a word
CAUSE_DIFFERENCE = 0.01  # of rates worth telling apart
BY_STANDS_OUT = 0.05  # chance of saying that one value of a column stands out if none does
MOST_DAYS = 31  # dates that are not put into months
MOST_VALUES = 1_000  # that are compared

# Numeric targets as they are read and written: chosen by hand, without influence on any p_wrong.
FEWEST_TARGETS = 30  # rows
FEW_TARGETS = 100  # below which a note says so
MAYBE_CLASSES = 30  # different whole numbers that may be names of classes
CAPPED = 0.01  # of the rows at one end: it may be a limit
FEWEST_CAPPED = 5
WRITTEN_SO = 0.95  # of the numbers have no more digits than suggestions get
MOST_DECIMALS = 6
MOST_NOUGHTS = 3
GIVES_TARGET = 0.999  # rank correlation from which a column looks made from the target
