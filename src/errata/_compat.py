"""Names of scikit-learn that may move: imported here and only here."""

from sklearn.utils import _safe_indexing as take_rows

__all__ = ["take_rows"]
