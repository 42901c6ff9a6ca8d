"""Configurations that people copy: they load, and what they run exists and does what they say."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.command_line import commands_in, objection_to
from kind_cases import written_kind

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "integrations"
ACTION, HOOKS = ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml"
FILES = [ACTION, HOOKS, *sorted(EXAMPLES.glob("*.y*ml"))]


def loaded(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def texts(node):
    """All texts in a YAML document."""
    if isinstance(node, dict):
        return [text for value in node.values() for text in texts(value)]
    if isinstance(node, list):
        return [text for value in node for text in texts(value)]
    return [node] if isinstance(node, str) else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_loads_and_its_commands_exist(path):
    found = [words for text in texts(loaded(path)) for words in commands_in(text)]
    if path != HOOKS:  # whose table and label come with the configuration
        assert [words for words in found if objection_to(words)] == []
    assert found or "pre-commit-config" in path.name or "workflow" in path.name


def test_commands_that_do_not_exist_are_noticed():
    assert objection_to(["audti", "x.csv"]) == "there is no command audti"
    assert "--lable" in objection_to(["audit", "x.csv", "--lable", "pet"])


def test_the_hook_with_the_arguments_of_its_configuration_is_a_command():
    (hook,) = loaded(HOOKS)
    (repository,) = loaded(EXAMPLES / "pre-commit-config.yaml")["repos"]
    (configured,) = repository["hooks"]
    assert configured["id"] == hook["id"]
    assert objection_to([*shlex.split(hook["entry"])[1:], *configured["args"]]) is None
    assert re.search(configured["files"], configured["args"][0])


def test_the_workflow_gives_the_action_inputs_that_it_has():
    steps = loaded(EXAMPLES / "github-workflow.yml")["jobs"]["audit"]["steps"]
    (given,) = [step["with"] for step in steps if "errata@" in step.get("uses", "")]
    inputs = loaded(ACTION)["inputs"]
    assert set(given) <= set(inputs)
    assert {name for name, value in inputs.items() if value.get("required")} <= set(given)


def test_metrics_of_the_stage_are_outside_of_its_outputs():
    """DVC refuses a file that is part of another output."""
    stage = loaded(EXAMPLES / "dvc.yaml")["stages"]["labels"]
    (metrics,) = (name for entry in stage["metrics"] for name in entry)
    assert not any(Path(metrics).is_relative_to(out) for out in stage["outs"])
    assert stage["cmd"][1] == f"cp {stage['outs'][0]}/metrics.json {metrics}"


class Runner:
    """A machine on which the step of the action runs, with errata installed already."""

    def __init__(self, folder):
        self.folder = folder
        programs = folder / "errata" / "bin"
        programs.mkdir(parents=True)
        for name, module in (("python", ""), ("errata", "-P -m errata.cli ")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n')
            (programs / name).chmod(0o755)

    def __call__(self, **inputs):
        """Run the step; exit code, what it wrote to the page, and its outputs."""
        (step,) = [step for step in loaded(ACTION)["runs"]["steps"] if step.get("id") == "audit"]
        defaults = {
            name: each.get("default", "") for name, each in loaded(ACTION)["inputs"].items()
        }
        given = defaults | {name.replace("_", "-"): value for name, value in inputs.items()}
        page, outputs = self.folder / "page.md", self.folder / "outputs"
        for path in (page, outputs):
            path.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=dict(os.environ)
            | {name: _filled(value, given) for name, value in step["env"].items()}
            | {"RUNNER_TEMP": str(self.folder), "GITHUB_STEP_SUMMARY": str(page)}
            | {"GITHUB_OUTPUT": str(outputs)},
            capture_output=True,
            text=True,
        )
        told = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        return done, page.read_text(), told


def _filled(value, given):
    return given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    folder = tmp_path_factory.mktemp("runner")
    written_kind("classes", folder, "my pets")
    return Runner(folder)


@pytest.fixture(scope="module")
def first_run(runner):
    """What a run without an earlier audit leaves, which later ones are compared to."""
    return runner(
        file="my pets.csv",
        label="pet",
        baseline="last.audit",
        args="--no-self-check --id 'tag'",
        out="new audit",
    )


def test_the_action_shows_what_was_found_and_gives_its_numbers(runner, first_run):
    done, page, told = first_run
    assert done.returncode == 0, done.stderr
    assert "There is no earlier audit in last.audit yet." in done.stdout
    assert page.startswith("## Audit of `my pets.csv`")
    metrics = json.loads((runner.folder / "new audit" / "metrics.json").read_text())
    assert told == {
        "rate": str(metrics["noise_rate"]),
        "flagged": str(metrics["n_flagged"]),
        "folder": "new audit",
    }
    assert "`t3`" in page


def test_the_action_fails_with_its_page_and_tells_what_changed(runner, first_run):
    done, page, told = runner(
        file="my pets.csv",
        label="pet",
        baseline="new audit",
        fail_above="0",
        args="--no-self-check --id tag",
    )
    assert done.returncode == 1
    assert "Too many labels are wrong" in done.stderr
    assert "### What changed since the last audit" in page
    assert told["folder"] == "errata.audit"


def test_the_action_runs_no_module_of_the_change_that_it_audits(runner):
    for name in ("json", "shlex"):
        (runner.folder / f"{name}.py").write_text(f"open('{name}.ran', 'w')")
    done, _, told = runner(file="my pets.csv", label="pet", args="--no-self-check", out="third")
    assert done.returncode == 0, done.stderr
    assert told["folder"] == "third"
    assert list(runner.folder.glob("*.ran")) == []
    scripts = "\n".join(step["run"] for step in loaded(ACTION)["runs"]["steps"])
    options = re.findall(r'(?:PYTHON"|python"?)((?: -\w)+)', scripts)
    assert options == [" -P -m", " -P -m", " -P -c", " -P -c"]


def test_an_error_of_the_action_leaves_no_page_of_an_older_audit(runner):
    done, page, told = runner(file="nowhere; touch broken.csv", label="pet")
    assert (done.returncode, page, told) == (2, "", {})
    assert "does not exist" in done.stderr
    assert not (runner.folder / "broken.csv").exists()


@contextmanager
def _run(logged, **named):
    logged["run"] = named
    yield


def stand_in():
    """What the recipe uses of MLflow, and what it was told."""
    logged = {"artifacts": []}
    return logged, SimpleNamespace(
        active_run=lambda: None,
        start_run=lambda **named: _run(logged, **named),
        log_params=lambda params: logged.update(params=params),
        log_metrics=lambda metrics: logged.update(metrics=metrics),
        set_tag=lambda name, value: logged.update({name: value}),
        log_artifact=lambda path, artifact_path: logged["artifacts"].append(Path(path)),
    )


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_an_audit_is_logged_to_mlflow(kind, audit_of, monkeypatch):
    logged, module = stand_in()
    monkeypatch.setitem(sys.modules, "mlflow", module)
    folder = audit_of(kind)
    runpy.run_path(str(EXAMPLES / "mlflow_logging.py"))["log_audit"](folder)
    assert logged["metrics"] == json.loads((folder / "metrics.json").read_text())
    assert logged["params"]["kind"] == kind
    assert all(path.is_file() for path in logged["artifacts"])
    assert len(logged["artifacts"]) == 3
