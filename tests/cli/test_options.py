import os

import pytest
from click.testing import CliRunner

from errata.cli.__main__ import main
from errata.cli._options import JOBS

FRACTIONS = [
    ["audit", "pets.csv", "-l", "pet", "--precision"],
    ["audit", "pets.csv", "-l", "pet", "--fail-above"],
    ["clean", "pets.audit", "-o", "clean.csv", "--threshold"],
    ["clean", "pets.audit", "-o", "clean.csv", "--sure"],
    ["noise", "pets.csv", "-l", "pet", "-o", "noisy.csv", "--rate"],
]


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "1.01"])
@pytest.mark.parametrize("arguments", FRACTIONS, ids=lambda a: a[-1])
def test_a_fraction_is_a_number_from_0_to_1(arguments, value):
    result = CliRunner().invoke(main, [*arguments, value])
    assert result.exit_code == 2
    assert f"{value.lower()} is not in the range 0<=x<=1" in result.output.lower()


@pytest.mark.parametrize("command", [["audit", "pets.csv", "-l", "pet"], ["reproduce", "walmsley"]])
def test_no_jobs_at_all_are_refused(command):
    result = CliRunner().invoke(main, [*command, "--jobs", "0"])
    assert result.exit_code == 2
    assert "0 would do nothing; give 1 or more, or -1 for all cores." in result.output


def test_no_more_jobs_than_cores():
    cores = os.cpu_count()
    assert [JOBS.convert(n, None, None) for n in ("1", "100000", "-1", cores)] == [
        1,
        cores,
        -1,
        cores,
    ]


@pytest.mark.parametrize("seed", ["-1", "100000000000000000000000"])
@pytest.mark.parametrize("command", ["noise", "reproduce", "compare", "audit"])
def test_a_seed_is_one_of_those_that_numpy_takes(command, seed):
    result = CliRunner().invoke(main, [command, "a.csv", "--seed", seed])
    assert result.exit_code == 2
    assert f"{seed} is not in the range 0<=x<=4294967295" in result.output


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-5"])
def test_a_frequency_is_a_number_above_0(value):
    result = CliRunner().invoke(main, ["audit", "dogs.csv", "-l", "gait", "--fs", value])
    assert result.exit_code == 2
    assert f"{float(value)}" in result.output or f"{value} is not in the range" in result.output
    assert "is not in the range 0<x<=" in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--wavelets", "up"], "--wavelets is for recordings; name them with --sequence."),
        (["--fs", "5"], "--fs is for recordings"),
        (["--sequence", "dog", "--group", "dog"], "--sequence and --group cannot both be given"),
        (["--sequence", "dog", "--pixels", "2x2"], "--sequence and --pixels cannot both be given"),
        (["--sequence", "dog", "--fs", "5"], "--fs and --band belong to --wavelets"),
        (["--sequence", "dog", "--wavelets", "up", "--fs", "5"], "it needs --fs, and --fs needs"),
    ],
)
def test_options_of_recordings_go_together(options, said, tmp_path):
    (tmp_path / "dogs.csv").write_text("up,dog,gait\n1,a,walk\n")
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "dogs.csv"), "-l", "gait", *options])
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
