"""Do results hang on the last bit of a matrix product? Run by `make test-kernels`.

OpenBLAS multiplies matrices by other code on every generation of processors, and NumPy adds up
vectors of other lengths: sums are the same but for rounding. The numeric part of the tests (all but
those of review, command line, report and pages) is run with each code that this processor can run,
and with NumPy as on a processor without its widest vectors. `--quick` takes a few tests and one
code, of a processor other than this one.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = ("Haswell", "Zen", "Sandybridge", "Nehalem", "SkylakeX", "Cooperlake")
WIDEST = ("AVX512", "X86_V4")  # in names of what NumPy can be told to do without
NO_NUMBERS = ("tests/cli", "tests/report", "tests/review", "src/errata/cli", "src/errata/report",
              "src/errata/review", "tests/test_docs.py", "tests/test_examples.py",
              "tests/test_first_audit.py", "tests/test_site.py")  # fmt: skip
NUMERIC = ("tests", "src", "docs/howto", *(f"--ignore={path}" for path in NO_NUMBERS))
QUICK = ("tests/auditing/numbers/test_hard_tables.py", "tests/auditing/numbers/test_last_bits.py",
         "tests/auditing/numbers/test_finding.py", "tests/elm/test_ridge.py",
         "tests/tables/test_features.py",
         "tests/tables/test_plan.py", "docs/howto/text_with_embeddings.md",
         "src/errata/auditing", "src/errata/elm",
         "src/errata/ensemble", "src/errata/projections", "src/errata/tolerant")  # fmt: skip
# NumPy and SciPy come with an OpenBLAS each; the product is where code of another processor fails.
LOOK = """
import numpy, scipy.linalg, threadpoolctl
scipy.linalg.svd(numpy.ones((99, 99)) @ numpy.ones((99, 99)))
used = {each.get("architecture") for each in threadpoolctl.threadpool_info()} - {None}
simd = numpy.show_config(mode="dicts")["SIMD Extensions"]
print(*sorted(used), "|", *simd.get("found", []))
"""


def main() -> None:
    """Run the tests in every way there is, and tell how many passed; exit code 1 if one failed."""
    native, features = look({})
    ways = {kernel: {"OPENBLAS_CORETYPE": kernel} for kernel in KERNELS}
    # OpenBLAS takes another code where it was built without this one.
    ways = {kernel: setting for kernel, setting in ways.items() if look(setting)[0] == [kernel]}
    tests = NUMERIC
    if "--quick" in sys.argv[1:]:
        other = next((k for k in ("Haswell", "Nehalem") if k in ways and [k] != native), None)
        ways = {other: ways[other]} if other else {}
        tests = QUICK
    elif disabled := unneeded(features):
        setting = {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled)}
        if set(look(setting)[1]) & set(disabled):
            sys.exit(f"NumPy does not do without {', '.join(disabled)}.")
        ways[f"NumPy without {', '.join(disabled)}"] = setting
    if not ways:
        print("This processor can run no other code of OpenBLAS than its own.")
    results = [passes(way, setting, tests) for way, setting in ways.items()]
    sys.exit(0 if all(results) else 1)


def look(setting: dict[str, str]) -> tuple[list[str], list[str]]:
    """Which code OpenBLAS uses, and what NumPy uses beyond what it was built for.

    Nothing where the processor cannot run it.
    """
    done = run([sys.executable, "-c", LOOK], setting)
    if done.returncode:
        return [], []
    kernels, _, features = done.stdout.partition("|")
    return kernels.split(), features.split()


def unneeded(features: list[str]) -> list[str]:
    """What NumPy is to do without: the widest vectors, or all that it can."""
    wide = [name for name in features if any(part in name for part in WIDEST)]
    return wide or features


def passes(way: str, setting: dict[str, str], tests: tuple[str, ...]) -> bool:
    """Whether all tests pass; a line that says how many, and all that was said if one fails."""
    options = ["--quiet", "--numprocesses", "auto", "--dist", "worksteal"]
    done = run([sys.executable, "-m", "pytest", *options, *tests], setting)
    counts = {kind: re.findall(rf"(\d+) {kind}", done.stdout) for kind in ("passed", "failed")}
    told = ", ".join(f"{(found or ['0'])[-1]} {kind}" for kind, found in counts.items())
    print(f"{way}: {told}", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, flush=True)
    return done.returncode == 0


def run(command: list[str], setting: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A command in the root of the repository, with one thread in each process."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    told = os.environ | threads | setting
    return subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
