"""Is what `python -m build` made fit to be published? Run by `make release`.

The wheel is below 2 MB and says that it is typed; wheel and source archive install into a fresh
environment of every Python from 3.11 to 3.14 that this machine has. There the wheel does and prints
what README and the page of the first audit say, and the source archive audits a table.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from following import follow_first_audit, follow_readme  # noqa: E402

DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MOST_BYTES = 2_000_000
LEFT = """
Left for the owner:
  1. the date in CHANGELOG.md, and the address of the repository in pyproject.toml and CITATION.cff;
  2. git tag vX.Y.Z, and push the tag;
  3. python -m twine upload dist/*
  4. make docs, and publish docs/_build/html."""
TABLE = """
from sklearn.datasets import load_wine
load_wine(as_frame=True).frame.to_csv("wine.csv", index=False)
"""


def main() -> None:
    """Try all that was built; exit code 1 and a sentence if something is not fit."""
    wheel, archive = only("*.whl"), only("*.tar.gz")
    check_wheel(wheel)
    pythons = {version: found for version in PYTHONS if (found := where_is(version))}
    for version, python in pythons.items():
        for built in (wheel, archive):
            print(f"Python {version}, {built.name}: {try_out(built, python)}", flush=True)
    if missing := set(PYTHONS) - set(pythons):
        print(f"Not tried, as this machine does not have them: {', '.join(sorted(missing))}")
    print(LEFT)


def only(pattern: str) -> Path:
    """The one file of a kind in dist."""
    files = list(DIST.glob(pattern))
    if len(files) != 1:
        sys.exit(f"Expected one {pattern} in {DIST}, found {len(files)}; run make release.")
    return files[0]


def check_wheel(wheel: Path) -> None:
    """Small, and typed."""
    size = wheel.stat().st_size
    if size >= MOST_BYTES:
        sys.exit(f"{wheel.name} has {size:,} bytes; {MOST_BYTES:,} are allowed.")
    if "errata/py.typed" not in zipfile.ZipFile(wheel).namelist():
        sys.exit(f"{wheel.name} does not hold errata/py.typed.")


def where_is(version: str) -> str | None:
    """A Python of this version: of pyenv, whose shims may lead nowhere, or on the path."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(kept[-1]) if kept else shutil.which(f"python{version}")


def try_out(built: Path, python: str) -> str:
    """The first sentence of an audit by errata installed from ``built``."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", "env", cwd=folder)
        run("env/bin/pip", "install", "--quiet", str(built), cwd=folder)
        installed = f"{folder}/env/bin/python"
        if built.suffix == ".whl":
            for follow in (follow_readme, follow_first_audit):
                place = Path(folder, follow.__name__)
                place.mkdir()
                follow(place, installed)
        run(installed, "-c", TABLE, cwd=folder)
        audited = run("env/bin/errata", "audit", "wine.csv", "--label", "target", cwd=folder)
        if not (Path(folder) / "wine.audit" / "report.html").exists():
            sys.exit(f"{built.name} with {python} wrote no report.")
        return audited.splitlines()[0]


def run(*command: str, cwd: str) -> str:
    """What a command prints; all that it said if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
