"""Everything an audit tells, put together for all rows, those that could not be judged included."""

from dataclasses import dataclass
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np

from ._audit import Audit, NoiseRate
from ._copies import conflicting_duplicates
from ._evidence import Evidence
from ._flags import Flags, draw_flags, no_flags
from ._map import draw_map
from ._posterior import Posterior
from ._prepare import Prepared, row_names
from ._reasons import Reason, give_reasons
from ._self_check import SelfCheck
from ._settings import LEAST_FLAGGED, OVERLAP
from ._summary import percent
from ._suspects import check_pixels, describe, worst_rows
from ._witnesses import Case


@dataclass(frozen=True)
class Shown:
    """What the user said about looks, not about labels."""

    ids: Any = None
    image_shape: tuple[int, ...] | None = None
    title: str | None = None
    label: Any = None
    seed: Any = None

    def about(self, given: Prepared) -> dict[str, Any]:
        """What a report says about the data."""
        frame = type(given.table).__module__.partition(".")[0]
        return {
            "errata": version("errata"),
            "title": self.title or "audit",
            "label": self.label if isinstance(self.label, str) else None,
            "seed": int(self.seed) if isinstance(self.seed, Integral) else None,
            "features": 0 if given.features is None else len(given.features.columns),
            "dataframe": "polars" if frame == "polars" else "pandas",
        }

    def names(self, n: int) -> np.ndarray | None:
        """The ids of the rows."""
        return None if self.ids is None else row_names("ids", self.ids, n)

    def check(self, given: Prepared) -> None:
        """Raise now what would otherwise be raised when all the work is done."""
        self.names(len(given.codes))
        if self.image_shape is not None:
            check_pixels(given.table, self.image_shape)


def tell_all(
    given: Prepared,
    case: Case,
    evidence: Evidence,
    posterior: Posterior,
    check: SelfCheck | None,
    *,
    precision: float | None,
    shown: Shown,
) -> Audit:
    """The audit as the user gets it."""
    flags = _flags(posterior, precision)
    present = given.present
    columns = _columns(given, posterior, flags)
    worst = worst_rows(columns["suspicion"], columns["flagged"])
    duplicates = (
        [] if given.features is None else conflicting_duplicates(given.features.X, given.codes)
    )
    return Audit(
        labels=given.labels,
        **{name: column for name, column in columns.items() if name != "label"},
        noise_rate=NoiseRate(posterior.rate, posterior.low, posterior.high),
        hypotheses=posterior.noise.by_kind(posterior.rates),
        has_skill=posterior.skill.enough,
        transition=_for_all_classes(posterior.transition, present, len(given.classes)),
        prior=_spread(posterior.prior, present, len(given.classes)),
        classes=given.classes,
        witnesses=[
            {"name": t.name, "weight": round(t.weight, 4), "agreement": round(t.agreement, 4)}
            for t in evidence.testimonies
        ],
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*_about_noise(posterior, flags), *given.notes, *_about_duplicates(duplicates)],
        duplicates=duplicates,
        suspects=describe(
            worst,
            _reasons(worst, given, case, evidence, posterior),
            columns,
            table=given.table,
            ids=shown.names(len(given.codes)),
            image_shape=shown.image_shape,
        ),
        points=_points(given, worst, columns, case.seed),
        about=shown.about(given),
    )


def _flags(posterior: Posterior, precision: float | None) -> Flags:
    if not posterior.skill.enough:
        return no_flags(len(posterior.p_wrong))
    return draw_flags(posterior.p_wrong, posterior.suspicion, precision)


def _columns(given: Prepared, posterior: Posterior, flags: Flags) -> dict[str, np.ndarray]:
    """One entry for every row; a label that could not be judged is as good as labels are here."""

    def everyone(values: np.ndarray, otherwise: Any) -> np.ndarray:
        if len(values) == len(given.codes):
            return values
        spread = np.full(len(given.codes), otherwise, dtype=values.dtype)
        spread[given.judged] = values
        return spread

    flagged = everyone(flags.flagged, False)
    suggested = given.labels.copy()
    suggested[flagged] = given.classes[given.present][posterior.other[flags.flagged]]
    p_suggested = np.where(flags.flagged, posterior.p_other, 1 - posterior.p_wrong)
    return {
        "label": given.labels,
        "suspicion": everyone(posterior.suspicion, 0.0),
        "p_wrong": everyone(posterior.p_wrong, posterior.rate),
        "suggested": suggested,
        "p_suggested": everyone(p_suggested, 1 - posterior.rate),
        "flagged": flagged,
    }


def _about_noise(posterior: Posterior, flags: Flags) -> list[str]:
    """What nobody can tell from these columns: everything, overlap, noise at borders."""
    if not posterior.skill.enough:
        return [
            "These columns do not tell the labels apart (no better than knowing how frequent each "
            "label is). Whether labels are wrong cannot be judged from them: anything from none to "
            f"{percent(posterior.high)} is possible. Nothing is flagged."
        ]
    count, notes = int(flags.flagged.sum()), []
    if count and posterior.noise.ambiguity >= OVERLAP:
        notes.append(
            f"The classes overlap in these columns. Part or all of the {count:,} labels that look "
            "wrong may be right and merely unusual."
        )
    near = int(np.sum(posterior.p_elsewhere[flags.flagged] < LEAST_FLAGGED))
    if near:
        rows = "1 flagged row lies" if near == 1 else f"{near:,} flagged rows lie"
        notes.append(
            f"{rows} where classes meet: wrong if errors gather there, right if the classes merely "
            "overlap."
        )
    return notes


def _for_all_classes(transition: np.ndarray, present: np.ndarray, n_classes: int) -> np.ndarray:
    full = np.eye(n_classes)
    full[np.ix_(present, present)] = transition
    return full


def _spread(values: np.ndarray, present: np.ndarray, n_classes: int) -> np.ndarray:
    full = np.zeros(n_classes)
    full[present] = values
    return full


def _about_duplicates(duplicates: list[np.ndarray]) -> list[str]:
    if not duplicates:
        return []
    rows = sum(map(len, duplicates))
    groups = "group" if len(duplicates) == 1 else "groups"
    return [
        f"{rows:,} rows in {len(duplicates):,} {groups} are equal to each other but labelled "
        "differently: in each group at least one label is wrong, or the columns do not tell enough."
    ]


def _reasons(
    worst: np.ndarray,
    given: Prepared,
    case: Case,
    evidence: Evidence,
    posterior: Posterior,
) -> list[Reason]:
    """Reasons in rows and classes of the whole table, which may hold more than the case."""
    place = np.full(len(given.codes), -1)
    place[given.judged] = np.arange(len(given.judged))
    rows = place[worst[place[worst] >= 0]]
    found = give_reasons(
        rows,
        posterior.other[rows],
        X=given.X,
        codes=case.codes,
        classes=given.classes[given.present],
        testimonies=evidence.testimonies,
        n_jobs=case.n_jobs,
    )
    by_row = {
        int(given.judged[row]): reason._replace(similar=given.judged[reason.similar].tolist())
        for row, reason in zip(rows, found, strict=True)
    }
    alone = Reason(["It is the only row of its class."], [])
    return [by_row.get(int(row), alone) for row in worst]


def _points(
    given: Prepared,
    worst: np.ndarray,
    columns: dict[str, np.ndarray],
    seed: int,
) -> dict[str, Any] | None:
    if given.X is None or len(given.judged) < len(given.codes):
        return None
    told = {
        "label": given.codes,
        "suggested": np.searchsorted(given.classes, columns["suggested"]),
        "p_wrong": columns["p_wrong"],
        "flagged": columns["flagged"],
    }
    return draw_map(given.X, worst, told, seed)
