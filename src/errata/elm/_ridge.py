"""Ridge regression on a hidden layer, from its normal equations.

In the words of the equations: A = Gc + alpha I with Gc = Hc'Hc, and B = A⁻¹ Hc'Tc, where Hc and Tc
are the hidden activations and the targets without their means (the intercept is not penalised).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, blas, cho_solve, cholesky, eigh, lapack, svd

# Fraction of the largest eigenvalue, per hidden unit, below which a direction counts as absent in
# plain least squares (alpha = 0): sums of squares do not resolve what is smaller.
RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class CholeskyFactor:
    """A = L L'."""

    lower: np.ndarray
    alpha: float

    def solve(self, C: np.ndarray) -> np.ndarray:
        """A⁻¹ C."""
        return cho_solve((self.lower, True), C, check_finite=False)

    def whiten(self, Hc: np.ndarray) -> np.ndarray:
        """Rows z with z'z = h' A⁻¹ h for the rows h of ``Hc``, whose memory is reused."""
        return blas.dtrsm(1.0, self.lower, Hc.T, lower=True, overwrite_b=True).T

    @property
    def effective_units(self) -> float:
        """trace(A⁻¹ Gc): how many hidden units' worth of freedom alpha leaves."""
        inverse, _ = lapack.dtrtri(self.lower, lower=True)
        return len(inverse) - self.alpha * float(np.vdot(inverse, inverse))


@dataclass(frozen=True)
class SpectralFactor:
    """A = Q diag(values + alpha) Q' on the span of the rows; the pseudo-inverse for alpha = 0.

    An alpha up to ``resolution``, the rounding of the eigenvalues, is taken for zero.
    """

    values: np.ndarray
    vectors: np.ndarray
    alpha: float
    resolution: float = 0.0

    @cached_property
    def inverse(self) -> np.ndarray:
        """The eigenvalues of A⁻¹; zero where plain least squares has nothing to go by."""
        if self.alpha > self.resolution:
            return 1 / (self.values + self.alpha)
        present = self.values > RANK_TOLERANCE * len(self.vectors) * self.values.max()
        return np.divide(1, self.values, out=np.zeros_like(self.values), where=present)

    def solve(self, C: np.ndarray) -> np.ndarray:
        """A⁻¹ C."""
        return self.vectors @ (self.inverse[:, None] * (self.vectors.T @ C))

    def whiten(self, Hc: np.ndarray) -> np.ndarray:
        """Rows z with z'z = h' A⁻¹ h for the rows h of ``Hc``."""
        return (Hc @ self.vectors) * np.sqrt(self.inverse)

    @property
    def effective_units(self) -> float:
        """trace(A⁻¹ Gc): how many hidden units' worth of freedom alpha leaves."""
        return float(self.inverse @ self.values)


@dataclass
class RidgeSystem:
    """Normal equations of a ridge regression, ready to be solved for any alpha.

    With at least as many rows as hidden units it holds the Gram matrix (its lower triangle); with
    fewer, the singular values of the rows themselves, which are smaller and keep more digits;
    ``left`` are their left singular vectors, where no row depends on the others.
    """

    weight: float
    hidden_mean: np.ndarray
    target_mean: np.ndarray
    cross: np.ndarray
    squares: np.ndarray
    fit_intercept: bool
    gram: np.ndarray | None = None
    left: np.ndarray | None = None
    _spectrum: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def from_rows(
        cls, H: np.ndarray, T: np.ndarray, weight: np.ndarray | None, *, fit_intercept: bool
    ) -> "RidgeSystem":
        """The system of rows held in memory, fewer of them than hidden units."""
        w = np.ones(len(H)) if weight is None else weight
        require_weight(w.sum())
        fraction = w / w.sum() if fit_intercept else np.zeros(len(H))
        hidden_mean, target_mean = fraction @ H, fraction @ T
        Hc, Tc = H - hidden_mean, T - target_mean
        root = np.sqrt(w)[:, None]
        left, singular, right = svd(root * Hc, full_matrices=False)
        # What is zero but for rounding (one direction is, once the mean is out) must go, or a tiny
        # alpha would blow that rounding up.
        present = singular > np.finfo(float).eps * max(H.shape) * singular[0]
        present[0] = True
        left, singular, right = left[:, present], singular[present], right[present]
        return cls(
            weight=float(w.sum()),
            hidden_mean=hidden_mean,
            target_mean=target_mean,
            cross=right.T @ (singular[:, None] * (left.T @ (root * Tc))),
            squares=w @ Tc**2,
            fit_intercept=fit_intercept,
            left=left if len(singular) == len(H) - fit_intercept else None,
            _spectrum=(singular**2, right.T),
        )

    @property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and eigenvectors of Gc, computed when first asked for."""
        if self._spectrum is None:
            values, vectors = eigh(self.gram, lower=True, check_finite=False, driver="evd")
            self._spectrum = np.maximum(values, 0), vectors  # rounding leaves some below zero
        return self._spectrum

    @property
    def base(self) -> float:
        """What the intercept adds to every leverage."""
        return self.fit_intercept / self.weight

    @property
    def mean_eigenvalue(self) -> float:
        """trace(Gc) / m, the scale on which alpha is large or small."""
        trace = self.spectrum[0].sum() if self.gram is None else np.trace(self.gram)
        return float(trace) / len(self.hidden_mean)

    def solved(self, alpha: float) -> "RidgeModel":
        """The model for one alpha: by Cholesky, or by the spectrum where that cannot be."""
        resolution = 0.0 if self.gram is None else np.finfo(float).eps * np.trace(self.gram)
        if self.gram is None or alpha <= resolution:
            return RidgeModel(self, SpectralFactor(*self.spectrum, alpha, resolution))
        A = self.gram.copy(order="F")
        A[np.diag_indices_from(A)] += alpha
        try:
            lower = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:  # alpha drowns in the rounding of a singular Gram matrix
            return RidgeModel(self, SpectralFactor(*self.spectrum, alpha))
        return RidgeModel(self, CholeskyFactor(lower, alpha))


def require_weight(total: float) -> None:
    """Raise when no row has any weight, so that there is nothing to learn from."""
    if not total > 0:
        raise ValueError("a record of rows whose weights sum to zero leaves nothing to solve.")


@dataclass(frozen=True)
class RidgeModel:
    """Normal equations solved for one alpha."""

    system: RidgeSystem
    factor: CholeskyFactor | SpectralFactor

    @cached_property
    def coef(self) -> np.ndarray:
        """Output weights B, shape (m, q)."""
        return self.factor.solve(self.system.cross)

    @cached_property
    def intercept(self) -> np.ndarray:
        """One intercept per output."""
        return self.system.target_mean - self.system.hidden_mean @ self.coef

    @property
    def degrees_of_freedom(self) -> float:
        """Trace of the smoother, which is the sum of all leverages."""
        return self.factor.effective_units + self.system.fit_intercept

    def predict(self, H: np.ndarray) -> np.ndarray:
        """Predictions for rows of hidden activations, shape (n, q)."""
        return H @ self.coef + self.intercept

    def whiten(self, H: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Rows whose inner products, plus ``system.base``, are the entries of the smoother.

        ``out`` is memory to work in, of the shape of H.
        """
        return self.factor.whiten(np.subtract(H, self.system.hidden_mean, out=out))
