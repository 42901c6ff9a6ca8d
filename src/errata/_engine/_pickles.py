"""The one way in which things are written for another process."""

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

try:  # comes with Dask, and with joblib from 1.6 on
    import cloudpickle
except ImportError:
    cloudpickle = pickle

# Plain pickle would look for the classes of the user's script in the script of a worker.
dump: Callable[[Any, Any], None] = cloudpickle.dump


def packed_call(function: Callable[..., Any], *args: Any) -> bytes:
    """A call that is to be made elsewhere."""
    return cloudpickle.dumps(partial(function, *args))


def opener() -> Callable[[bytes], Any]:
    """A function that makes a packed call.

    It is made anew, so that it is sent as code and not by its name: a scheduler looks at the
    functions that it passes on, and need not have errata for that.
    """

    def make_call(call: bytes) -> Any:
        return pickle.loads(call)()

    return make_call
