"""Names of scikit-learn that may move: imported here and only here."""

from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.validation import _check_method_params as take_rows_of_params

__all__ = ["take_rows", "take_rows_of_params"]
