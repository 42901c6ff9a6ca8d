"""Pictures of the pages that are those of an example."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
PICTURES = {
    "hardness.png": "finding/plot_hardness_measures.py",
    "ecg_features.png": "kinds/plot_ecg_features.py",
}


def draw() -> None:
    """Run the examples, and save what each ends in."""
    plt.show = lambda: None  # figures stay open until they are saved
    for picture, example in PICTURES.items():
        runpy.run_path(str(EXAMPLES / example), run_name="__main__")
        plt.gcf().savefig(HERE / picture, dpi=80)
        plt.close("all")
