"""The manifest: what one must know to get the same numbers again; nothing about the host."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._files import atomic_path
from ._experiment import Experiment

# Those whose version may change a number.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "errata")


def describe(experiment: Experiment, seed: int) -> dict[str, Any]:
    """Parameters, seed and versions of a run."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "seed": seed,
        "repetitions": experiment.repetitions,
        "noise_levels": [None if x is None else float(x) for x in experiment.noise_levels],
        "datasets": dict(experiment.datasets),
        "methods": {name: described(method) for name, method in experiment.methods.items()},
        "metrics": list(experiment.metrics),
        "measure": described(experiment.measure),
        "versions": {"python": platform.python_version()} | {n: version(n) for n in _LIBRARIES},
    }


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a new run, or check that it is the one this run goes on with."""
    if not path.exists():
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        return
    earlier = json.loads(path.read_text(encoding="utf-8"))
    differing = [key for key in manifest if earlier.get(key) != manifest[key]]
    if differing:
        raise ValueError(
            f"{path.parent} holds a run with another {' and '.join(differing)}; "
            "results of two settings do not mix: choose another folder, or remove this one."
        )


def described(thing: Any) -> str:
    """What a thing is, in a line that is the same in every run: no addresses, nothing left out."""
    # First, as functions and classes have a __dict__ too, and their repr has an address.
    if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__")):
        return f"{thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(described, thing))}]"
    if isinstance(thing, dict):
        return f"{{{', '.join(f'{name}: {described(value)}' for name, value in thing.items())}}}"
    # Not repr(), which leaves out the defaults, and these may change between versions.
    if isinstance(thing, BaseEstimator):
        return _call(thing, thing.get_params(deep=False))
    if hasattr(thing, "__dict__"):  # splitters and measures
        return _call(thing, vars(thing))
    # NumPy 2 writes np.float64(0.1) where NumPy 1 wrote 0.1.
    return repr(thing.item() if isinstance(thing, np.generic) else thing)


def _call(thing: Any, parameters: dict[str, Any]) -> str:
    arguments = (f"{name}={described(parameters[name])}" for name in sorted(parameters))
    return f"{type(thing).__name__}({', '.join(arguments)})"
