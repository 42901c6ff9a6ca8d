"""Every kind of label that errata audits: what it is called, and what differs by it, told once.

Report, review, command line and stored audits look here instead of asking which kind they have.
Another kind of label is a folder in ``auditing`` and an entry in ``KINDS``. What runs is named by a
dotted path, for ``pkgutil.resolve_name``: it stands further right, and may be slow to import.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ._format import join_names

# Arguments of an audit of a file that mean the same for every kind.
FOR_ALL = ("drop", "groups", "ids", "by", "precision", "self_check", "random_state", "n_jobs")


@dataclass(frozen=True)
class Section:
    """A template of the report in ``sections/``, with its link in the bar at the top."""

    name: str
    link: str = ""
    is_shown: Callable[[dict[str, Any]], bool] = lambda view: True
    is_minor: bool = False  # its link gives way on a phone
    element: str = ""  # the id of its element, where that is not its name

    @property
    def anchor(self) -> str:
        """The id of the section's element."""
        return self.element or self.name.replace("_", "-")


@dataclass(frozen=True)
class ReportPage:
    """The report of an audit; a folder of templates has what its header says."""

    heading: str
    keys: tuple[str, ...]  # of its summary, besides those of every kind
    sections: tuple[Section, ...]
    view: str  # from the summary to what its templates show
    payload: str  # from the summary to what the script works on
    columns: Mapping[str, str]  # of the list of rows, and how it speaks of neighbours
    predicted: str = "probabilities"  # what models give of each row
    score: str = "agreement"  # of each model, with the heading above it
    score_heading: str = "Agrees with the label"
    has_filters: bool = True  # of the list of rows, by label and suggestion


@dataclass(frozen=True)
class ReviewPage:
    """The words of a review: what people decide, how the page asks, what an export writes."""

    noun: str  # what is right or wrong
    nouns: str
    column: str  # the column that an export adds
    recorded: str  # the class that reads what is recorded
    title: str  # before the label
    keep: str
    kept: str  # in the history
    other: str
    question: str  # to the blind
    typing: str
    digits: str = ""  # what they do, in the list of keys; empty where they do nothing
    next_likely: str = "Next likely"  # of a suggestion that is less probable than the label
    accept_other: str = "other"
    wrong: str = "Label wrong with probability"
    save: str = ""  # what the key that saves does, where there is something to choose first
    labels: str = "labels"  # the column of the stored audit
    p_wrong: str = "p_wrong"
    form: str = "classes"  # what is chosen or typed: one of the classes, a number, labels to set
    by_chance: bool = True  # whether two people may say the same by chance, as Cohen's kappa counts

    @property
    def is_number(self) -> bool:
        """Whether what people decide is a number."""
        return self.form == "number"


@dataclass(frozen=True)
class Command:
    """How files with a kind of label are audited and cleaned, in Python or on the command line."""

    named_by: tuple[str, ...]  # arguments that name its columns, each of them needed
    takes: tuple[str, ...]  # arguments that go with it besides these and those for every kind
    audit: str
    tables: str  # from the summary to what is printed
    help: str  # where nothing can be said
    no_skill: str  # where nothing can be cleaned
    clean_defaults: Mapping[str, Any]  # the options of errata clean that have an effect
    refused: Mapping[str, str] = field(default_factory=dict)  # actions, with what to do instead
    steps: str = ""  # what to do next, where that is not to drop rows
    files: Mapping[str, str] = field(default_factory=dict)  # what else an audit has written
    rows: str = "rows"  # what to look at
    in_parts: bool = False  # whether its table may be larger than memory
    weighs_rows: bool = False  # whether a file can be cleaned by weights of its rows
    source: str = "table"  # what in ``about`` names the table to clean

    @property
    def own(self) -> tuple[str, ...]:
        """The arguments by which it is known."""
        return tuple(name for name in self.named_by if name != "label")


@dataclass(frozen=True, repr=False)
class Kind:
    """A kind of label.

    Parameters
    ----------
    name : str
        In ``audit.json`` and in the summary.
    title : str
        What an audit of it is of, in prose.
    result : str
        The class of its results.
    noun, nouns : str
        What is right or wrong.
    no_skill : str
        What the columns do where nobody can judge by them.
    harmless : str
        What looks wrong and is not.
    row : str
        What has a label.
    evidence : str
        What the audit goes by.
    listed : tuple of str
        The columns of ``ranked.csv``, besides the row and its id.
    shown : tuple of str
        What a notebook shows of each example, besides these two.
    """

    name: str
    title: str
    result: str
    noun: str
    nouns: str
    no_skill: str
    harmless: str
    report: ReportPage
    review: ReviewPage
    command: Command
    row: str = "row"
    evidence: str = "These columns"
    listed: tuple[str, ...] = ("label", "suggested", "p_wrong", "flagged")
    shown: tuple[str, ...] = ("label", "suggested", "p_wrong")

    def __repr__(self) -> str:
        return f"<Kind {self.name}>"


def _has_skill(view: dict[str, Any]) -> bool:
    return view["has_skill"]


def _has_map(view: dict[str, Any]) -> bool:
    return bool(view["map"])


def _has_notes(view: dict[str, Any]) -> bool:
    return bool(view["notes"])


# Of every report.
SHARED_KEYS = (
    "errata",
    "title",
    "seed",
    "rows",
    "features",
    "has_skill",
    "noise_rate",
    "flagged",
    "notes",
    "models",
    "self_check",
    "examples",
    "by",
    "review",
)
NOTES = Section("notes", is_shown=_has_notes)
REVIEW = Section("review", "Review", lambda view: bool(view["review"]["so_far"]))
CLASS_RATES = Section("classes", "Classes", _has_skill, is_minor=True)
BY = Section("by", "By value", lambda view: bool(view["by"]), is_minor=True)
SPREAD = Section("spread", is_shown=_has_skill)
MAP = Section("map", "Map", _has_map)
ISSUES = Section("issues", "Issues", lambda view: bool(view["issues"]), is_minor=True)
ROWS = Section("examples", "Rows", _has_skill)
METHOD = Section("method", "Method", is_minor=True)

COLUMNS_OR_ROWS = "What may help: other columns or more rows."
REPLACE_IS_FOR_NUMBERS = {
    "replace": "--action replace is for numbers; classes are changed by relabel."
}

CLASSES = Kind(
    name="classes",
    title="classes",
    result="errata.auditing:Audit",
    noun="label",
    nouns="labels",
    no_skill="do not tell the labels apart",
    harmless="classes that overlap",
    report=ReportPage(
        heading="Label audit",
        keys=(
            "label",
            "classes",
            "hypotheses",
            "alternatives",
            "per_class",
            "confusion",
            "transition",
            "histogram",
            "map",
            "duplicates",
            "duplicates_total",
            "stretches",
        ),
        sections=(
            Section("notes", is_shown=lambda view: bool(view["notes"] or view["duplicates"])),
            REVIEW,
            Section("self_check", "Self-check"),
            CLASS_RATES,
            BY,
            SPREAD,
            MAP,
            ROWS,
            ISSUES,
            METHOD,
        ),
        view="errata.report._classes:build_class_view",
        payload="errata.report._classes:pack_classes",
        columns={
            "label": "Label",
            "suggested": "Suggestion",
            "own": "labelled ",
            "near": "nearest labelled ",
            "nearest": "their labels and distances",
        },
    ),
    review=ReviewPage(
        noun="label",
        nouns="labels",
        column="errata_class",
        recorded="errata.review.server._folder:RecordedClasses",
        title="Label",
        keep="Keep label",
        kept="kept the label",
        other="chose another class",
        question="Which class is it?",
        digits="the class with that number",
        typing="type a class",
    ),
    command=Command(
        named_by=("label",),
        takes=(
            "trust",
            "sequence",
            "wavelets",
            "fs",
            "band",
            "known",
            "decisions",
            "image_shape",
            "estimator",
            "embeddings",
            "pred_proba",
        ),
        audit="errata.auditing._audit_file:audit_classes",
        tables="errata.cli._findings:make_class_tables",
        help=(
            "What may help: other columns, more rows, or --trust for a column that was left out "
            "although it was measured independently of the label."
        ),
        no_skill=(
            "The audit found that the columns do not tell the labels apart, so nobody knows which "
            "are wrong"
        ),
        clean_defaults={"action": "drop", "threshold": 0.5, "sure": 0.8, "unsure": "keep"},
        refused=REPLACE_IS_FOR_NUMBERS,
        in_parts=True,
        weighs_rows=True,
    ),
)

# Recordings are audited as classes, and stored as such; what is shown are stretches of rows.
SEQUENCES = replace(
    CLASSES,
    report=replace(
        CLASSES.report,
        sections=tuple(
            Section("stretches", "Stretches", _has_skill) if section is ROWS else section
            for section in CLASSES.report.sections
        ),
    ),
    command=replace(CLASSES.command, rows="stretches", files={"All stretches": "stretches.csv"}),
)

VOTES = Kind(
    name="votes",
    title="votes",
    result="errata.auditing.votes:VoteAudit",
    noun="majority label",
    nouns="majority labels",
    no_skill="do not tell who is right",
    harmless="annotators who differ",
    row="item",
    evidence="These votes",
    listed=(
        "item",
        "label",
        "suggested",
        "p_wrong",
        "flagged",
        "n_votes",
        "consensus",
        "p_consensus",
    ),
    report=replace(
        CLASSES.report,
        heading="Audit of votes",
        keys=(
            *CLASSES.report.keys,
            "still_wrong",
            "annotators",
            "votes",
            "workers",
            "guessing",
            "shared",
            "asked",
            "worth",
        ),
        sections=(
            NOTES,
            REVIEW,
            Section("examples", "Items", _has_skill),
            Section("annotators", "Annotators", _has_skill),
            Section("ask", "Ask next", _has_skill),
            CLASS_RATES,
            BY,
            SPREAD,
            MAP,
            METHOD,
        ),
        view="errata.report._classes:build_vote_view",
    ),
    review=CLASSES.review,
    command=Command(
        named_by=("item", "worker", "label"),
        takes=("features", "estimator"),
        audit="errata.auditing._audit_file:audit_vote_file",
        tables="errata.cli._findings:make_vote_tables",
        steps="errata.cli._findings:list_vote_steps",
        help=(
            "What may help: more votes on the same items, or a table of the items with "
            "--features, whose columns tell the classes apart."
        ),
        no_skill=(
            "The audit found that the votes do not tell who is right, so every item keeps its "
            "majority"
        ),
        clean_defaults={"action": "relabel", "threshold": 0.5, "sure": 0.5, "unsure": "drop"},
        source="features_table",
        rows="items",
    ),
)

NUMBERS = Kind(
    name="numbers",
    title="numeric targets",
    result="errata.auditing.numbers:TargetAudit",
    noun="target",
    nouns="targets",
    no_skill="do not predict the target",
    harmless="right targets that vary as much",
    listed=("target", "suggested", "low", "high", "p_wrong", "hint", "flagged"),
    shown=("label", "suggested", "p_wrong", "hint"),
    report=ReportPage(
        heading="Target audit",
        keys=("target", "hints", "error_kinds", "histogram", "points", "band", "noise"),
        sections=(
            NOTES,
            REVIEW,
            Section("target_check", "Self-check", _has_skill, element="self-check"),
            Section("fit", "Fit", _has_skill),
            Section("slips", is_shown=lambda view: bool(view["kinds_of_error"])),
            BY,
            SPREAD,
            ROWS,
            METHOD,
        ),
        view="errata.report._targets:build_target_view",
        payload="errata.report._packing:pack_list",
        columns={
            "label": "Recorded",
            "suggested": "Expected",
            "own": "recorded ",
            "near": "nearby, recorded ",
            "nearest": "what is recorded there, and distances",
        },
        predicted="predictions",
        score="r2",
        score_heading="R², out of fold",
        has_filters=False,
    ),
    review=ReviewPage(
        noun="number",
        nouns="numbers",
        column="errata_number",
        recorded="errata.review.server._folder:RecordedNumbers",
        title="Recorded",
        keep="Keep number",
        kept="kept the number",
        other="typed another number",
        question="Which number is it?",
        typing="type a number",
        next_likely="Expected",
        accept_other="expected",
        wrong="Number wrong with probability",
        labels="targets",
        form="number",
        by_chance=False,
    ),
    command=Command(
        named_by=("target",),
        takes=("trust", "embeddings", "decisions"),
        audit="errata.auditing._audit_file:audit_target_file",
        tables="errata.cli._findings:make_target_tables",
        help=COLUMNS_OR_ROWS,
        no_skill=(
            "The audit found that the columns do not predict the target, so nobody knows which "
            "are wrong"
        ),
        clean_defaults={"action": "drop", "threshold": 0.5},
        refused={
            "relabel": "--action relabel is for classes; wrong numbers are changed by replace."
        },
    ),
)

MULTILABEL = Kind(
    name="multilabel",
    title="several labels per row",
    result="errata.auditing.multilabel:MultilabelAudit",
    noun="label, set or not,",
    nouns="labels, set or not,",
    no_skill="tell none of the labels",
    harmless="labels that overlap",
    listed=("labels", "doubted", "error", "suggested", "p_wrong", "flagged"),
    report=ReportPage(
        heading="Audit of several labels per row",
        keys=(
            "table_rows",
            "labels",
            "label_column",
            "missing",
            "wrongly_set",
            "per_label",
            "histogram",
            "flagged_cells",
        ),
        sections=(
            NOTES,
            REVIEW,
            Section("cell_check", "Self-check", _has_skill, element="self-check"),
            Section("labels", "Labels", _has_skill),
            BY,
            SPREAD,
            ROWS,
            METHOD,
        ),
        view="errata.report._multilabel:build_multilabel_view",
        payload="errata.report._packing:pack_list",
        columns={
            "label": "Labels",
            "suggested": "Changes",
            "own": "labelled ",
            "near": "nearest labelled ",
            "nearest": "their labels and distances",
        },
        has_filters=False,
    ),
    review=ReviewPage(
        noun="set of labels",
        nouns="sets of labels",
        column="errata_labels",
        recorded="errata.review.server._folder:RecordedSets",
        title="Labels",
        keep="Keep labels",
        kept="kept the labels",
        other="chose other labels",
        question="Which labels does it have?",
        digits="set the label with that number, or take it away",
        typing="type a label to be set",
        next_likely="Next likely change",
        accept_other="change",
        wrong="A label wrong with probability",
        save="save the labels that are set, once one was changed",
        p_wrong="p_row",
        form="labels",
    ),
    command=Command(
        named_by=("labels",),
        takes=("trust", "estimator", "embeddings", "pred_proba"),
        audit="errata.auditing._audit_file:audit_multilabel_file",
        tables="errata.cli._findings:make_multilabel_tables",
        help=COLUMNS_OR_ROWS,
        no_skill=(
            "The audit found that the columns tell none of the labels, so nobody knows which are "
            "wrong"
        ),
        clean_defaults={"action": "drop", "threshold": 0.5, "sure": 0.8},
        refused=REPLACE_IS_FOR_NUMBERS,
        files={"The flagged labels of rows": "cells.csv"},
    ),
)

KINDS = {kind.name: kind for kind in (CLASSES, NUMBERS, VOTES, MULTILABEL)}


def kind_of(found: Mapping[str, Any]) -> Kind:
    """The kind of a summary, or of what is in an ``audit.json``.

    >>> kind_of({"kind": "numbers"}).noun, kind_of({}).noun
    ('target', 'label')
    """
    return SEQUENCES if found.get("stretches") else KINDS[found.get("kind", "classes")]


def find_kind(given: Mapping[str, Any]) -> Kind:
    """The kind whose columns are named; raise for arguments that would have no effect on it.

    >>> find_kind({"target": "price", "label": None, "drop": ("tag",)}).title
    'numeric targets'
    >>> find_kind({"target": "price", "item": "photo"})
    Traceback (most recent call last):
    ValueError: `target`, `item` ask for different kinds of audits; give one of them.
    """
    names = [name for name, value in given.items() if value not in (None, (), False)]
    kinds = [kind for kind in KINDS.values() if any(name in kind.command.own for name in names)]
    if len(kinds) > 1:
        both = join_names([f"`{next(n for n in k.command.own if n in names)}`" for k in kinds])
        raise ValueError(f"{both} ask for different kinds of audits; give one of them.")
    kind = kinds[0] if kinds else CLASSES
    command = kind.command
    by = next((name for name in command.own if name in names), "label")
    for name in command.named_by:
        if name not in names and command.own:
            raise ValueError(f"`{by}` needs `{name}` beside it: an audit of {kind.title}.")
    for name in names:
        if name not in (*command.named_by, *command.takes, *FOR_ALL):
            raise ValueError(f"`{name}` does not go with `{by}`; {_describe_instead(kind, name)}.")
    return kind


def _describe_instead(kind: Kind, name: str) -> str:
    """The advice about an argument that has no effect on a kind."""
    for other in KINDS.values():
        if other is not kind and other.command.own and name in other.command.takes:
            named = " and ".join(f"`{own}`" for own in other.command.own)
            return f"it is for an audit of {other.title}, which {named} name"
    return "leave one of them out"


# Arguments of an audit of a file that are noted with it, for another one after a review, by their
# options of the command line.
NOTED = {
    "drop": "drop",
    "trust": "trust",
    "wavelets": "wavelets",
    "item": "item",
    "worker": "worker",
    "features": "features",
    "groups": "group",
    "sequence": "sequence",
    "fs": "fs",
    "known": "known",
    "ids": "id",
    "by": "by",
    "precision": "precision",
    "image_shape": "pixels",
    "embeddings": "embeddings",
    "pred_proba": "pred-proba",
    "model": "model",
    "model_args": "model-args",
    "random_state": "seed",
    "n_jobs": "jobs",
    "band": "band",
    "self_check": "no-self-check",
}


def spell_options(arguments: Mapping[str, Any]) -> list[str]:
    """The options to type for the same audit again, besides the label and decisions.

    >>> spell_options({"drop": ["id"], "image_shape": [28, 28], "band": (3, 30)})
    ['--drop=id', '--pixels=28x28', '--band', '3.0', '30.0']
    """
    words = []
    for name, option in NOTED.items():
        value = arguments.get(name)
        if value is None:
            continue
        if name == "band":
            words += ["--band", *(str(float(frequency)) for frequency in value)]
        elif name == "self_check":
            words += [] if value else ["--no-self-check"]
        elif name == "image_shape":
            words.append(f"--pixels={'x'.join(map(str, value))}")
        else:
            values = value if isinstance(value, list | tuple) else (value,)
            words += [f"--{option}={each}" for each in values]
    return words
