"""The step of RobustBoost: how far to go along a base estimator, and how much time may pass for it.

Time runs from 0 to 1. While it does, margins ``m`` shrink, and what is asked of them grows: the
potential of a row depends on ``A = (m - mu(t)) / sigma(t)``. A step ``(ds, dt)`` moves
``m' = m exp(-dt) + ds u`` and ``t' = t + dt``, u being how right the estimator is on each row, such
that

- the estimator has no correlation left: ``F1 = sum c u w(m', t') = 0``;
- the mean potential stays: ``F2 = sum c (Phi(m, t) - Phi(m', t')) = 0``,

c being the given weights of the rows. Of several solutions the one that gets on fastest is taken.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import erfc, erfinv

LONGEST = 6.0  # no step ds is longer
FINE = 1e-9  # by how much a potential may exceed another and count as equal
ROUGH = 1e-2  # what finer grids may still gain


@dataclass(frozen=True)
class Potential:
    """Phi(m, t) and its weight, for a target error, a goal margin theta and a final width."""

    error_goal: float
    theta: float
    sigma_final: float
    two_sided: bool = False

    @cached_property
    def rho(self) -> float:
        """The speed that makes the potential equal to the target error at the start."""
        c = erfinv(1 - (2 if self.two_sided else 1) * self.error_goal)
        return float((self.sigma(0.0) * c + np.e * self.theta) / (2 * (np.e - 1)))

    def mu(self, t: float) -> float:
        """Where the margins ought to be at time t."""
        return float((self.theta - 2 * self.rho) * np.exp(1 - t) + 2 * self.rho)

    def sigma(self, t: float) -> float:
        """How far around that is near."""
        return float(np.sqrt((self.sigma_final**2 + 1) * np.exp(2 * (1 - t)) - 1))

    def distance(self, m: np.ndarray, t: float) -> np.ndarray:
        """A: how far margins are ahead."""
        return (m - self.mu(t)) / self.sigma(t)

    def phi(self, a: np.ndarray) -> np.ndarray:
        """The potential at this distance."""
        return erfc(a) / 2 if self.two_sided else np.minimum(1.0, erfc(a))

    def weight(self, a: np.ndarray) -> np.ndarray:
        """Minus the slope of the potential, up to a constant; one-sided, rows behind have none."""
        weight = np.exp(-(a**2))
        return weight if self.two_sided else np.where(a > 0, weight, 0.0)


@dataclass(frozen=True)
class StepProblem:
    """Find the step from margins ``m`` at time ``t`` along an estimator that is right by ``u``."""

    potential: Potential
    m: np.ndarray
    u: np.ndarray
    c: np.ndarray
    t: float

    def solve(self, previous: tuple[float, float] | None = None) -> tuple[float, float]:
        """``ds`` and ``dt``; time reaches 1 when the potential allows it."""
        rest = 1 - self.t
        # Three zooms of seven tell whether the end is out of reach, as it is at first.
        if self.least(rest, zooms=3)[1] <= self.mean_potential + ROUGH:
            ds, least = self.least(rest)
            if least <= self.mean_potential + FINE:
                return ds, rest
        # From a step to the end of time, AdaBoost's and the last one, Newton may find other roots.
        starts = [(np.sqrt(rest), rest), self._like_adaboost()]
        found = [self.newton(start) for start in [*starts, *([previous] if previous else [])]]
        valid = [step for step in found if step is not None]
        return max(valid, key=lambda step: step[1]) if valid else self.bisect()

    @cached_property
    def mean_potential(self) -> float:
        """Before the step."""
        return self._mean(self.potential.phi(self.potential.distance(self.m, self.t)))

    def least(self, dt: float, zooms: int = 7) -> tuple[float, float]:
        """The ``ds`` of least mean potential after ``dt``, and that potential, by finer grids."""
        base, t = self.m * np.exp(-dt), self.t + dt
        low, high = 0.0, LONGEST
        for _ in range(zooms):
            grid = np.linspace(low, high, 25)
            a = self.potential.distance(base + grid[:, None] * self.u, t)
            values = self.potential.phi(a) @ self.c
            # The first of equals: the potential can be flat, and rounding must not decide.
            best = int((values <= values.min() + 1e-12 * self.c.sum()).argmax())
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        return float(grid[best]), float(values[best] / self.c.sum())

    def newton(self, start: tuple[float, float]) -> tuple[float, float] | None:
        """Newton's method on F1 and F2; None where it does not lead to a step forward in time."""
        step = np.clip(start, 0, [LONGEST, 1 - self.t])
        for _ in range(12):
            values, jacobian = self.equations(*step)
            if np.abs(values).max() <= 1e-10 * self.c.sum():
                return (float(step[0]), float(step[1])) if step.min() > 0 else None
            if abs(np.linalg.det(jacobian)) < 1e-300:
                return None  # one-sided, the step may leave no row with a weight
            step = step - np.linalg.solve(jacobian, values)
            step = step.clip(0, [LONGEST, 1 - self.t])
        return None

    def equations(self, ds: float, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """F1 and F2 after a step, and their derivatives by ds and dt."""
        potential, t = self.potential, self.t + dt
        shrunk = self.m * np.exp(-dt)
        a = potential.distance(shrunk + ds * self.u, t)
        w = self.c * potential.weight(a)
        sigma = potential.sigma(t)
        by_ds = self.u / sigma
        # As time passes, mu' = 2 rho - mu and (sigma²)' = -2 (sigma² + 1).
        by_dt = (potential.mu(t) - 2 * potential.rho - shrunk) / sigma + a * (1 + 1 / sigma**2)
        # The derivative of erfc, which the weights leave out.
        scale = (1 if potential.two_sided else 2) / np.sqrt(np.pi)
        before = self.mean_potential * self.c.sum()
        values = np.array([self.u @ w, before - self.c @ potential.phi(a)])
        pull = -2 * a * self.u * w
        jacobian = np.array(
            [[pull @ by_ds, pull @ by_dt], [scale * (w @ by_ds), scale * (w @ by_dt)]]
        )
        return values, jacobian

    def bisect(self) -> tuple[float, float]:
        """The last ``dt`` after which some ``ds`` still keeps the mean potential, made exact."""
        # A little time always passes, as the potential falls with ds at first. That what is allowed
        # is one interval of dt has been observed, not proven.
        low, high = 0.0, 1 - self.t
        for _ in range(40):
            middle = (low + high) / 2
            allowed = self.least(middle)[1] <= self.mean_potential
            low, high = (middle, high) if allowed else (low, middle)
        rough = self.least(low)[0], low
        exact = self.newton(rough)  # which may end at quite another root
        return exact if exact and abs(exact[1] - low) < 1e-3 else rough

    def _like_adaboost(self) -> tuple[float, float]:
        w = self.c * self.potential.weight(self.potential.distance(self.m, self.t))
        right, wrong = w @ (1 + self.u), w @ (1 - self.u)
        step = 0.5 * np.log(right / max(wrong, 1e-12 * right))
        return step, step**2

    def _mean(self, values: np.ndarray) -> float:
        return float(values @ self.c / self.c.sum())
