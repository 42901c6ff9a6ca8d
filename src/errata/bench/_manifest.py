"""The manifest: what one must know to get the same numbers again; nothing about the host."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..tables import atomic_path
from ._experiment import Experiment

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "errata")


def describe(experiment: Experiment, seed: int) -> dict[str, Any]:
    """Parameters, seed and versions of a run."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "seed": seed,
        "repetitions": experiment.repetitions,
        "noise_levels": list(experiment.noise_levels),
        "datasets": dict(experiment.datasets),
        "methods": {name: _one_line(method) for name, method in experiment.methods.items()},
        "metrics": list(experiment.metrics),
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


def _one_line(method: Any) -> str:
    return " ".join(repr(method).split())
