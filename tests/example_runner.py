"""Runs an example in a process that has imported what all examples import, and tells of it."""

import contextlib
import io
import os
import runpy
import sys
import traceback
import warnings

IMPORTED = ["matplotlib.pyplot", "sklearn.ensemble", "sklearn.svm", "scipy.stats", "errata"]


def run_example(path, folder, connection):
    """Send what is printed and the number of figures; or the traceback."""
    os.chdir(folder)
    try:
        connection.send(_outcome(path))
    except Exception:
        connection.send(traceback.format_exc())


def _outcome(path):
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    plt.show = lambda: None  # figures are counted, and nobody is there to look at them
    warnings.simplefilter("error")
    sys.argv = [str(path)]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue(), len(plt.get_fignums())
