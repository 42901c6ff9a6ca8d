"""Words are checked too: links lead somewhere, packages are documented, help is current."""

import ast
import builtins
import inspect
import pkgutil
import re
import shlex
from pathlib import Path

import imblearn.over_sampling
import imblearn.under_sampling
from sklearn.utils import all_estimators

import errata
import errata.compat
from cli.command_line import commands_in, objection_to
from errata.cli.__main__ import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
SHELL = re.compile(r"```(?:sh|bash|console|yaml)\n(.*?)```", re.DOTALL)


def paths_linked(page, text):
    """What links of a page lead to, as files, and whether they are there."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        yield target, (page.parent / target).exists()


def parts_linked(page, text):
    """The headings that links of a page lead to, and whether there are such headings."""
    for target, part in re.findall(r"\]\(([^)#:]*\.md)?#([^)]*)\)", text):
        there = page.parent / target if target else page
        yield f"{target}#{part}", there.exists() and part in headings(there)


def files_named(page, text):
    """The files of the repository that a page names, and whether they are there."""
    for name in re.findall(r"`((?:src|tests|benchmarks|examples)/[^`\s*]+)", text):
        yield name, (ROOT / name).exists()


def headings(page):
    """What links to parts of a page call them, as forges and the site do."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_and_names_of_files_on_pages_lead_somewhere():
    found = [
        (f"{page.relative_to(ROOT)}: {name}", there)
        for page in PAGES
        for references in (paths_linked, parts_linked, files_named)
        for name, there in references(page, page.read_text(encoding="utf-8"))
    ]
    assert len(found) > 400  # else the patterns no longer find what pages refer to
    missing = [name for name, there in found if not there]
    assert not missing, "\n".join(missing)


def test_commands_on_pages_and_their_options_exist():
    commands = [
        (page.relative_to(ROOT), words)
        for page in PAGES
        for block in SHELL.findall(page.read_text(encoding="utf-8"))
        for words in commands_in(block)
    ]
    assert {*main.commands} <= {words[0] for _, words in commands}
    wrong = [
        f"{page}: errata {shlex.join(words)}: {objection}"
        for page, words in commands
        if (objection := objection_to(words))
    ]
    assert not wrong, "\n".join(wrong)


def public_names():
    """Every public object of errata by its name, such as "noise.flip_labels"."""
    for name in errata.__all__:
        package = getattr(errata, name)
        yield name, package
        for public in getattr(package, "__all__", []):
            yield f"{name}.{public}", getattr(package, public)


def test_every_public_object_has_a_docstring_and_is_on_a_page_of_the_docs():
    silent = [name for name, thing in public_names() if not thing.__doc__]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in ROOT.glob("docs/**/*.md"))
    shown = set(re.findall(r"\w+", " ".join(CODE.findall(pages))))
    inside = [name for name, _ in public_names() if "." in name]
    missing = [name for name in inside if name.rpartition(".")[2] not in shown]
    assert not silent + missing, f"without a docstring: {silent}; on no page: {missing}"


def public_callables():
    """What users call, by its name: functions, classes and their methods."""
    things = dict(public_names())
    for module in pkgutil.walk_packages(errata.compat.__path__, "errata.compat."):
        package = pkgutil.resolve_name(module.name)
        for public in getattr(package, "__all__", []):
            things[f"{module.name}.{public}"] = getattr(package, public)
    for name, thing in things.items():
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing):
            for public, method in inspect.getmembers(thing, inspect.isfunction):
                if not public.startswith("_") and method.__module__.startswith("errata"):
                    yield f"{name}.{public}", method


def documented_defaults(docstring):
    """Names and values of the parameters of which a docstring gives the default."""
    text = docstring.partition("Parameters\n----------\n")[2]
    text = re.split(r"\n\n\w+\n-+\n", text)[0]
    for names, value in re.findall(r"^(\w[\w, ]*) : .*\bdefault=(.+)$", text, re.MULTILINE):
        for name in names.split(", "):
            yield name, eval(value)  # also powers of two


def test_defaults_in_docstrings_are_those_of_the_signatures():
    found = [
        (f"{name}: {parameter}", value, inspect.signature(thing).parameters[parameter].default)
        for name, thing in public_callables()
        for parameter, value in documented_defaults(inspect.getdoc(thing) or "")
    ]
    assert len(found) > 500  # else the pattern no longer finds where defaults are given
    wrong = [
        f"{name}={default!r}, not {value!r}" for name, value, default in found if value != default
    ]
    assert not wrong, "\n".join(wrong)


# Words of a private language that came in once, and that no reader of a survey would look for.
UNWANTED = re.compile(
    r"several labels a row|\b(?:is|are) told\b|of whom nobody knows|\bbefall|\brooms?\b|\bdoors?\b"
    r"|\bpromise[sd]?\b|\bin our hands\b|\bfared\b",
    re.IGNORECASE,
)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
DOTTED = re.compile(r"`(errata(?:\.[A-Za-z]\w*)+)(?:\(|`)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
CLASS = re.compile(r"(?<![\w.])([A-Z][a-z]+(?:[A-Z]\w*)+)")
CLASSES_OF_OTHERS = {"CatBoostClassifier", "ClassLabel", "DatasetDict", "LazyFrame", "LocalCluster"}
CLASSES_OF_OTHERS |= {"MultiClass", "RawFormulaVal", "TableVectorizer"}
# Other programs that pages tell how to call.
OTHERS = re.compile(r"\b(?:chromium|dask|docker|dvc|git|make|pip|pytest|python|ssh|uv)\b")


def written_pages():
    """The pages that people write and read from top to bottom, without reports of experiments."""
    return [page for page in PAGES if "reproductions" not in page.parts]


def sentences_in(code):
    """What a module may print: its texts of some words, without docstrings."""
    tree = ast.parse(code)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        ast.get_docstring(n, clean=False) for n in ast.walk(tree) if isinstance(n, documented)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text and text not in docstrings:
            yield text


def test_pages_help_and_templates_use_the_words_of_the_field():
    texts = {str(page): page.read_text(encoding="utf-8") for page in written_pages()}
    for path in (ROOT / "src").rglob("*.html"):
        texts[str(path)] = path.read_text(encoding="utf-8")
    for name, command in main.commands.items():
        texts[f"errata {name} --help"] = str(command.help)
    for path in (ROOT / "src").rglob("*.py"):
        texts[str(path)] = "\n".join(sentences_in(path.read_text(encoding="utf-8")))
    assert sum(text.count("\n") for name, text in texts.items() if name.endswith(".py")) > 3000
    unwanted = [
        f"{name}: {match[0]!r} in {text[max(0, match.start() - 30) : match.end() + 20]!r}"
        for name, text in texts.items()
        for match in UNWANTED.finditer(text)
    ]
    assert not unwanted, "\n".join(unwanted)


def test_options_and_python_names_on_pages_exist():
    known = {
        option
        for command in (main, *main.commands.values())
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    known |= {"--help", "--version"}
    for script in (ROOT / "benchmarks").glob("*.py"):
        known.update(OPTION.findall(script.read_text(encoding="utf-8")))
    classes = public_classes()
    missing = []
    for page in written_pages():
        inline = "\n".join(INLINE.findall(page.read_text(encoding="utf-8")))
        missing += [f"{page.name}: {name}" for name in CLASS.findall(inline) if name not in classes]
        for line in page.read_text(encoding="utf-8").splitlines():
            if not OTHERS.search(line) and page.name != "CONTRIBUTING.md":
                missing += [f"{page.name}: {o}" for o in OPTION.findall(line) if o not in known]
            missing += [f"{page.name}: {name}" for name in DOTTED.findall(line) if not exists(name)]
    assert not missing, "\n".join(missing)


def public_classes():
    """The names that pages may use: of errata, scikit-learn, imbalanced-learn and Python."""
    modules = [errata, imblearn.over_sampling, imblearn.under_sampling]
    for found in pkgutil.walk_packages(errata.__path__, "errata."):
        if "._" not in found.name:
            modules.append(pkgutil.resolve_name(found.name))
    public = {name for module in modules for name in getattr(module, "__all__", [])}
    return public | {name for name, _ in all_estimators()} | CLASSES_OF_OTHERS | set(dir(builtins))


def test_attributes_of_an_audit_on_pages_exist():
    kinds = [errata.Audit, errata.TargetAudit, errata.MultilabelAudit, errata.VoteAudit]
    known = {n for kind in kinds for n in (*dir(kind), *kind.__dataclass_fields__)} | {"json"}
    found = [
        (page.name, name)
        for page in written_pages()
        for name in re.findall(r"`(?:audit|Audit)\.([a-z]\w*)", page.read_text(encoding="utf-8"))
    ]
    assert len(found) > 40  # else the pattern no longer finds what pages name
    assert [each for each in found if each[1] not in known] == []


def exists(name):
    """Whether ``name`` is something of errata: a module, what is in one, or a public class's."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


VERDICTS = ("**in**", "scikit-learn", "tried", "no algorithm given", "no method")


def test_every_method_of_the_survey_has_a_verdict():
    page = (ROOT / "docs" / "evidence" / "catalogue.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]-\d\d) \| .+? \| (.*) \|$", page, flags=re.MULTILINE)
    verdicts = dict(rows)
    assert len(rows) == len(verdicts) == 176
    counts = dict.fromkeys(VERDICTS, 0)
    for key, verdict in verdicts.items():
        (start,) = [word for word in VERDICTS if verdict.startswith(word)] or [None]
        assert start is not None, f"{key} has no verdict: {verdict!r}"
        assert start != "tried" or re.search(r"\d", verdict), f"{key} says nothing of the trial"
        counts[start] += 1
    told = re.search(r"Of the 176: (.*)", page)[1]
    assert [int(number) for number in re.findall(r"\d+", told)] == list(counts.values())


def test_every_experiment_is_on_a_page_of_results():
    pages = [ROOT / "docs" / "evidence" / f"{name}.md" for name in ("works", "published")]
    told = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    names = [experiment.name for experiment in errata.bench.list_experiments()]
    assert [name for name in names if not re.search(rf"(reproduce |`){name}\b", told)] == []
