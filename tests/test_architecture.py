"""Arrows point one way: a sub-package imports those before it in this list, never one after it."""

import ast
import inspect
import re
import runpy
from functools import cache
from pathlib import Path

import errata

ROOT = Path(errata.__file__).parent
PUBLIC = [name for name in errata.__all__ if inspect.ismodule(getattr(errata, name))]

ORDER = [
    "exceptions",
    "_warn",
    "_format",
    "_kinds",
    "_sentences",
    "_optional",
    "_files",
    "_compat",
    "_routing",
    "_random",
    "_validation",
    "_blocks",
    "_canonical",
    "_detector",
    "_crossfit",
    "_neighbors",
    "_kernels",
    "_engine",
    "_progress",
    "tables",
    "noise",
    "datasets",
    "metrics",
    "stats",
    "hardness",
    "elm",
    "projections",
    "ensemble",
    "filters",
    "tolerant",
    "feature_selection",
    "sequence",
    "audit_folder",
    "auditing",
    "report",
    "review",
    "compat",
    "bench",
    "comparing",
    "testing",
    "cli",
]


@cache
def imports_in(path):
    """The statements of a module that import something, wherever in its code."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_packages(path, root=ROOT):
    """The sub-packages that a module imports; "errata" for the package itself."""
    package = ["errata", *path.relative_to(root).parts[:-1]]
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module.split(".") if node.module else [])]
            targets = [[*module, alias.name] for alias in node.names]
        yield from (
            parts[1] if parts[1:] else "errata" for parts in targets if parts[0] == "errata"
        )


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def package_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def test_every_sub_package_is_in_the_order():
    assert {package_of(path) for path in modules()} == set(ORDER)


def test_no_sub_package_imports_one_to_its_right():
    backwards = [
        f"{path.relative_to(ROOT)} imports {package}"
        for path in modules()
        for package in imported_packages(path)
        if package in ORDER and ORDER.index(package) > ORDER.index(package_of(path))
    ]
    assert backwards == []


def test_an_audit_loads_pages_and_reviews_in_one_place():
    # By name, as they stand further right: nobody who only audits waits for them.
    named = re.compile(r"""["']errata\.(report|review)""")
    modules_of_auditing = sorted((ROOT / "auditing").rglob("*.py"))
    places = [path.name for path in modules_of_auditing if named.search(path.read_text("utf-8"))]
    assert places == ["_base.py"]


def test_the_format_of_a_saved_audit_needs_numpy_and_pyarrow_only():
    paths = (ROOT / "audit_folder").rglob("*.py")
    imported = {package for path in paths for package in imported_packages(path)}
    assert imported <= {"_blocks", "_files", "_format", "_optional", "audit_folder", "exceptions"}


def test_only_the_command_line_reaches_sub_packages_by_attribute():
    # `import errata` hides what is used from the test above.
    sinners = [
        str(path.relative_to(ROOT))
        for path in modules()
        if package_of(path) != "cli" and {"errata", "__version__"} & set(imported_packages(path))
    ]
    assert sinners == []


def test_the_reader_of_imports_sees_them_all(tmp_path):
    module = tmp_path / "noise" / "_x.py"
    module.parent.mkdir()
    module.write_text(
        "from ..bench import run\nfrom ._y import z\nfrom .. import cli\nimport numpy\n"
        "import errata.stats\ndef f():\n    from errata.hardness import g\nimport errata\n"
    )
    found = sorted(imported_packages(module, root=tmp_path))
    assert found == ["bench", "cli", "errata", "hardness", "noise", "stats"]


def test_public_sub_packages_are_those_errata_lists():
    folders = {path.parent.name for path in ROOT.glob("[a-z]*/__init__.py")}
    assert folders - {"cli", "audit_folder"} == set(PUBLIC) - {"exceptions"}


def test_names_that_a_sub_package_exports_exist():
    for name in PUBLIC:
        package = getattr(errata, name)
        assert all(hasattr(package, exported) for exported in package.__all__), name


# What only one module may import from scikit-learn, so that there is one way for each thing.
ONLY_IN = {
    "NearestNeighbors": ("_neighbors",),
    "cross_val_predict": ("_crossfit",),
    "StratifiedGroupKFold": ("_crossfit",),
    "gen_batches": ("_blocks",),
    "gen_even_slices": ("_blocks",),
    "check_classification_targets": ("_validation",),
    "validate_data": ("_validation",),
}


def imported_names(path):
    for node in imports_in(path):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_there_is_one_way_for_each_thing():
    beside = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules()
        for name in imported_names(path)
        if name in ONLY_IN and package_of(path) not in ONLY_IN[name]
    ]
    assert beside == []


def test_docstrings_begin_with_a_noun_or_a_verb():
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    sinners = [
        f"{path.relative_to(ROOT)}: {text.partition(chr(10))[0]}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, kinds)
        if (text := ast.get_docstring(node)) and text.startswith(("What ", "That ", "Those "))
    ]
    assert sinners == []


def test_few_tests_know_what_is_private():
    # What is tested through public names may be moved and cut anew without touching a test.
    private = re.compile(r"errata\.([\w.]+\.)?_[a-z]")

    def imports_private(path):
        dotted = (
            f"{getattr(node, 'module', None) or ''}.{alias.name}".lstrip(".")
            for node in imports_in(path)
            for alias in node.names
        )
        return any(map(private.match, dotted))

    def replaces_private(path):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant))
        return any(isinstance(text, str) and private.match(text) for text in texts)

    tests = list(Path(__file__).parent.rglob("*.py"))
    assert sum(map(imports_private, tests)) <= 130
    assert sum(imports_private(path) or replaces_private(path) for path in tests) <= 145


def test_what_other_processors_run_exists():
    repository = ROOT.parents[1]
    run = runpy.run_path(str(repository / ".ci" / "kernels.py"))
    paths = [*run["QUICK"], *run["NUMERIC"], *run["NO_NUMBERS"]]
    assert [path for path in paths if path[0] != "-" and not (repository / path).exists()] == []
