"""What ``errata audit`` was asked for, in the terms of the library."""

import os
import re
from dataclasses import dataclass
from typing import Any

import click

MODELS = ("logistic", "forest", "boosting")


class _Fraction(click.FloatRange):
    """A number from 0 to 1, which "nan" is not, whatever it is compared with."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range 0<=x<=1.", param, ctx)
        return number


class _Jobs(click.ParamType):
    """How many things to do at the same time; more than there are cores would only cost memory."""

    name = "integer"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = click.INT.convert(value, param, ctx)
        if number == 0:
            self.fail("0 would do nothing; give 1 or more, or -1 for all cores.", param, ctx)
        return min(number, os.cpu_count() or 1)


FRACTION = _Fraction(0, 1)
JOBS = _Jobs()


@dataclass(frozen=True)
class Options:
    """The options of ``errata audit`` that say how the table is audited."""

    label: str
    drop: tuple[str, ...]
    trust: tuple[str, ...]
    group: str | None
    name: str | None
    precision: float | None
    no_self_check: bool
    pixels: str | None
    model: str | None
    seed: int
    jobs: int

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that models do not see, with the option that says so."""
        named = {"--drop": self.drop, "--group": (self.group,), "--id": (self.name,)}
        return {key: option for option, keys in named.items() for key in keys if key is not None}

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """Height, width and perhaps colours of rows that are pictures."""
        if self.pixels is None:
            return None
        if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", self.pixels.lower()):
            raise ValueError(
                f"--pixels {self.pixels} is not a size; write height and width as in 28x28."
            )
        return tuple(map(int, self.pixels.lower().split("x")))

    def estimator(self) -> Any:
        """One of scikit-learn's classifiers, with settings that suit most tables."""
        if self.model is None:
            return None
        # Here, as importing scikit-learn takes longer than showing the help should.
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        if self.model == "logistic":
            # Unscaled, a feature in large units would stop the solver before it converges.
            return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
        if self.model == "forest":
            return RandomForestClassifier(
                200, min_samples_leaf=2, random_state=self.seed, n_jobs=self.jobs
            )
        return HistGradientBoostingClassifier(random_state=self.seed)
