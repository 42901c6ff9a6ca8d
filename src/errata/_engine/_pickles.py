"""The one way in which things are written for another process."""

import pickle
from collections.abc import Callable
from typing import Any

try:  # comes with Dask, and with joblib from 1.6 on
    from cloudpickle import dump as _dump
except ImportError:
    _dump = pickle.dump

# Plain pickle would look for the classes of the user's script in the script of a worker.
dump: Callable[[Any, Any], None] = _dump
